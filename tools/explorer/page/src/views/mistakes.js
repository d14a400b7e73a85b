// The view of planted mistakes.
import { html, replace } from '../element.js';
import { checkPanel } from '../check.js';
import { keep, kept } from '../store.js';
import { puzzles } from './puzzles.js';

/** @param {(question: object) => Promise<any>} ask @param {(program: string, mistake?: string) => void} open */
export function mistakesView(ask, open, item) {
  const holder = html('div', { class: 'columns' });
  const solved = kept('slope.solved');
  const list = html('nav', { class: 'list', 'aria-label': 'mistakes' });
  const stage = html('div', { class: 'stage' });
  holder.append(list, stage);
  const truths = ask({ ask: 'mistakes' });

  const show = async (i) => {
    item.shown(i);
    const puzzle = puzzles[i];
    replace(list, ...puzzles.map((p, k) => html('button', { 'aria-current': k === i ? 'true' : false, onclick: () => show(k) },
      `${k + 1}. ${p.name}`, solved.has(p.name) ? ' ✓' : '')));
    const question = { program: puzzle.program, mistake: puzzle.mistake ?? '', seed: 1, dtype: 'f64' };
    const answer = await ask({ ...question, ask: 'explore' });
    if (answer.error) return void replace(stage, html('p', { class: 'error' }, answer.error.message));
    const operations = [...new Set(answer.trace.operations.map((o) => o.name))];
    const verdict = html('p', { class: 'equation', role: 'status' });
    const result = html('div', {});
    const solve = () => {
      solved.add(puzzle.name);
      keep('slope.solved', solved);
    };
    const guess = async (name) => {
      const found = await ask({ ...question, ask: 'check' });
      if (found.error) return void replace(result, checkPanel(found, answer));
      const culprits = found.culprits?.map((c) => c.op) ?? [];
      const isRight = puzzle.blind ? name === null : culprits.includes(name);
      verdict.className = `equation ${isRight ? 'right' : 'error'}`;
      if (!isRight) {
        replace(verdict, name === null ? 'The check finds a mistake: run it and look at the ratios. ' : `${name} is right: its own derivative agrees. `, html('span', { class: 'note' }, puzzle.hint));
        return;
      }
      solve();
      const all = await truths;
      const truth = all.error ? puzzle.hint : `${all.find((m) => m.name === puzzle.mistake)?.truth}.`;
      replace(verdict, puzzle.blind ? `No rule is wrong. ${puzzle.blind}` : `Yes: ${truth}`);
      replace(result, checkPanel(found, answer), ...(found.culprits ?? []).map((c) => html('p', { class: 'note' }, c.text)));
    };
    replace(stage, 
      html('h2', {}, puzzle.name),
      html('p', {}, 'The forward pass is right. In backward, the rule of one operation may be wrong. Check the gradient, step through it, then name the operation, or none.'),
      html('pre', { class: 'program' }, puzzle.program),
      html('p', {},
        html('button', { onclick: async () => replace(result, checkPanel(await ask({ ...question, ask: 'check' }), answer)) }, 'Run the check'), ' ',
        html('button', { onclick: () => open(puzzle.program, puzzle.mistake ?? '') }, 'Step through it')),
      html('p', {}, 'Which operation has the wrong rule? '),
      html('p', { class: 'choices' }, operations.map((name) => html('button', { onclick: () => guess(name) }, name)),
        html('button', { onclick: () => guess(null) }, 'none')),
      verdict,
      result,
    );
  };
  show(item.first(puzzles.length));
  return holder;
}
