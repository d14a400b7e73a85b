// The view of the lessons. An exercise asks for a number; the learner types it, the engine marks it.
import { html, replace } from '../element.js';
import { lessons } from './course.js';
import { numberText } from '../number.js';
import { keep, kept } from '../store.js';

const key = (lesson, i) => `${lesson.name} ${i}`;

/** The number that an exercise asks for. */
export async function solution(ask, { program, of, what, element = 0 }) {
  const { trace, error } = await ask({ ask: 'explore', program, dtype: 'f64', seed: 0 });
  if (error) throw new Error(error.message);
  const variable = trace.variables.find((v) => v.name === of);
  if (what === 'value') return variable.value.values[element];
  return trace.events.filter((e) => e.event === 'leaf' && e.variable === variable.id).at(-1).values[0].values[element];
}

/** To within 0.1 %: exercises ask for three digits at most. */
export const isRight = (typed, wanted) => Math.abs(typed - wanted) <= 1e-3 * Math.max(Math.abs(wanted), 0.02);

/** "1/4", "−2,5": numbers as people type them */
export function numberTyped(text) {
  const clean = text.trim().replace('−', '-').replace(',', '.');
  const fraction = /^(-?\d+(?:\.\d+)?)\s*\/\s*(\d+(?:\.\d+)?)$/.exec(clean);
  if (fraction) return Number(fraction[1]) / Number(fraction[2]);
  return clean === '' ? NaN : Number(clean);
}

const refusal = (typed, wanted) => (Number.isNaN(typed) ? 'Please type one number, such as −0.25 or 1/4.' : isRight(-typed, wanted) ? 'No: look at its sign.' : 'No.');

export function lessonsView(ask, open, item) {
  const done = kept('slope.lessons');
  const list = html('nav', { class: 'list', 'aria-label': 'lessons' });
  const stage = html('div', { class: 'stage' });
  const mark = (lesson) => (lesson.exercises.every((_, i) => done.has(key(lesson, i))) ? ' ✓' : '');
  const show = (at) => {
    item.shown(at);
    const lesson = lessons[at];
    const draw = () => replace(list, ...lessons.map((l, i) => html('button', { 'aria-current': i === at ? 'true' : false, onclick: () => show(i) }, `${i + 1}. ${l.name}`, mark(l))));
    draw();
    replace(stage, 
      html('h2', {}, lesson.name),
      lesson.text.map((paragraph) => html('p', {}, paragraph)),
      html('pre', { class: 'program' }, lesson.program),
      html('p', {}, html('button', { onclick: () => open(lesson.program) }, 'Step through it')),
      html('h3', {}, 'Predict'),
      lesson.exercises.map((exercise, i) => {
        const verdict = html('span', { role: 'status', class: done.has(key(lesson, i)) ? 'right' : '' }, done.has(key(lesson, i)) ? '✓' : '');
        const input = html('input', { size: 8, 'aria-label': exercise.ask, inputmode: 'text', autocomplete: 'off' });
        const judge = async (event) => {
          event.preventDefault();
          const wanted = await solution(ask, exercise).catch((error) => error);
          if (wanted instanceof Error) {
            verdict.className = 'error';
            verdict.textContent = wanted.message;
            return;
          }
          const typed = numberTyped(input.value);
          const good = isRight(typed, wanted);
          verdict.className = good ? 'right' : 'error';
          verdict.textContent = good ? `Yes, the engine gives ${numberText(wanted, 6)}.` : refusal(typed, wanted);
          if (!good) return;
          done.add(key(lesson, i));
          keep('slope.lessons', done);
          draw();
        };
        return html('form', { class: 'exercise', onsubmit: judge }, html('label', {}, `${exercise.ask} `, input), ' ', html('button', {}, 'Check'), ' ', verdict,
          html('details', {}, html('summary', {}, 'hint'), exercise.hint, ' ', html('button', { type: 'button', onclick: () => open(exercise.program) }, 'open as a program')));
      }),
    );
    stage.scrollTop = 0;
  };
  show(item.first(lessons.length));
  return html('div', { class: 'columns' }, list, stage);
}
