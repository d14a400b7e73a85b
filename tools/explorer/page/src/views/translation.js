// Translation: a trained encoder-decoder writes a sentence word by word. At each word: the likeliest
// alternatives, and what each head of each layer attends to.
import { html, replace } from '../element.js';

const unknown = 1;
const special = { start: 2, end: 3 };

/** Runs of letters and digits, and every other visible character by itself, in lower case. */
export const wordsOf = (sentence) => sentence.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** @returns {string} words joined as in a text: no blank before a full stop */
const written = (words) => words.join(' ').replace(/ ([.,!?;:])/g, '$1');
const percent = (p) => (p < 0.001 ? 'below 0.1 %' : `${(100 * p).toFixed(p < 0.0995 ? 1 : 0)} %`);
const weight = (w) => (w < 0.1 ? '' : w.toFixed(2).replace(/^0/, ''));

/** The model that the page holds: {config, source, target, model, sentences, about}, or null. */
export function modelOfPage() {
  const text = document.getElementById('translation').textContent.trim();
  return text ? JSON.parse(text) : null;
}

export function translationView(ask) {
  const held = modelOfPage();
  if (!held) return html('p', { class: 'note' }, 'This page was built without a model for translation.');
  const ids = new Map(held.source.map((word, id) => [word, id]));
  const known = (word) => ids.get(word) ?? unknown;
  const state = { at: 0, source: [], answer: null };
  const input = html('input', { value: held.sentences[0], 'aria-label': 'a German sentence', spellcheck: 'false', class: 'sentence' });
  const note = html('p', { class: 'note', role: 'status' });
  const output = html('p', { class: 'writing', 'aria-label': 'the translation' });
  const choices = html('p', { class: 'equation' });
  const heads = html('div', {});
  const loaded = ask({ ask: 'translation', do: 'load', model: held.model, source_vocab: held.source.length, target_vocab: held.target.length, ...held.config });

  const show = () => {
    const { answer, source, at } = state;
    const word = (id) => (id === special.end ? '⟨end⟩' : held.target[id]);
    const row = answer.likeliest[at];
    replace(output, answer.likeliest.map(([[id]], i) =>
      html('button', { class: i > at ? 'later' : '', 'aria-current': i === at ? 'true' : false, onclick: () => go(i) }, word(id))));
    replace(choices, at === 0 ? 'The first word: ' : [`After “${written(answer.likeliest.slice(0, at).map(([[id]]) => word(id)))}”: `],
      row.map(([id, p], i) => [i ? ' · ' : '', html(i ? 'span' : 'b', {}, word(id)), ` ${percent(p)}`]));
    const columns = ['⟨start⟩', ...source, '⟨end⟩'];
    const [S, T] = [columns.length, answer.likeliest.length];
    const weights = (layer, head) => answer.cross[layer].slice((head * T + at) * S, (head * T + at + 1) * S);
    const line = (name, values) => html('tr', {}, html('th', { scope: 'row' }, name), values.map((v, i) =>
      html('td', { class: 'look', style: `--look: ${v.toFixed(3)}`, title: `${columns[i]}: ${percent(v)}` }, weight(v))));
    replace(heads, answer.cross.map((_, layer) => html('table', { class: 'looks' },
      html('caption', {}, `Decoder layer ${layer + 1}: what each head attends to before writing “${word(row[0][0])}”`),
      html('tr', {}, html('th', {}), columns.map((text) => html('th', { scope: 'col' }, text))),
      Array.from({ length: answer.heads }, (_, head) => line(`head ${head + 1}`, weights(layer, head))))));
  };
  const go = (to) => {
    state.at = Math.max(0, Math.min(to, state.answer.likeliest.length - 1));
    show();
    output.children[state.at]?.focus({ preventScroll: true });
  };
  let latest = 0;
  const write = async () => {
    const mine = ++latest;
    const words = wordsOf(input.value);
    const wasLoaded = await loaded;
    if (wasLoaded.error) return void replace(note, wasLoaded.error.message);
    const tokens = [special.start, ...words.map(known), special.end];
    const answer = words.length && await ask({ ask: 'translation', do: 'write', tokens: tokens.join(' ') });
    if (mine !== latest) return;
    const strange = [...new Set(words.filter((word) => known(word) === unknown))];
    note.className = answer?.error ? 'error' : 'note';
    replace(note, answer?.error ? answer.error.message : strange.length ? `The model knows ${held.source.length - 4} words; these are not among them: ${strange.join(', ')}. It reads them all as the same unknown word.` : '');
    if (!answer || answer.error) return void [output, choices, heads].forEach((part) => replace(part));
    Object.assign(state, { at: 0, source: words, answer });
    show();
  };
  input.oninput = write;
  output.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    go(state.at + step);
  });
  let next = 0;
  const another = () => {
    input.value = held.sentences[++next % held.sentences.length];
    write();
  };
  write();
  return html('div', { class: 'stage wide' },
    html('p', {}, 'The encoder reads the whole sentence. Then the decoder writes it in English, one word at a time: before each word it looks at the German words (cross-attention) and at what it has written so far.'),
    html('p', { class: 'row' }, input, html('button', { onclick: another }, 'Another sentence')),
    note,
    html('p', { class: 'note' }, 'Choose a word, or step with ← and →.'),
    output, choices, heads,
    html('p', { class: 'note' }, 'Each row adds up to 1: a head divides its attention among the words. Most heads look at the word that is being translated. This is not built in; the model learned it.'));
}
