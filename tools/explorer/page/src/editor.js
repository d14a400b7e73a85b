// The program's editor: line numbers, history, the part that is running, and the error.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view';

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return transaction.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Converts the engine's place, counted from 1, to positions in the text; null if there is none. */
function range(doc, place) {
  if (!place || place.line < 1 || place.line > doc.lines) return null;
  const line = doc.line(place.line);
  const from = Math.min(line.from + place.column - 1, line.to);
  const to = Math.min(Math.max(line.from + place.end - 1, from), line.to);
  return to > from ? { from, to } : line.to > line.from ? { from: Math.max(line.from, from - 1), to: line.to } : null;
}

/** @param {HTMLElement} parent @param {(text: string) => void} changed */
export function openEditor(parent, text, changed) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        EditorView.lineWrapping,
        history(),
        marks,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': 'program' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  const mark = (place, name) => {
    const found = range(view.state.doc, place);
    const set = found
      ? Decoration.set([Decoration.mark({ class: name }).range(found.from, found.to)])
      : Decoration.none;
    view.dispatch({ effects: setMarks.of(set) });
  };
  return {
    text: () => view.state.doc.toString(),
    set(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    markRun: (place) => mark(place, 'running'),
    markError: (place) => mark(place, 'wrong'),
  };
}
