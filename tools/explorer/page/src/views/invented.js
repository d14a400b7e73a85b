// Names to learn from, made up of syllables, since no list of real names is shipped. A file of names
// can be dropped on the page instead.

const onsets = ['', 'b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'r', 's', 't', 'v', 'j', 'br', 'dr', 'kl', 'th', 'sh'];
const vowels = ['a', 'e', 'i', 'o', 'u', 'ia', 'ae', 'eo'];
const codas = ['', '', '', 'n', 'l', 'r', 's', 'm', 'th'];
const ends = ['a', 'o', 'en', 'in', 'iel', 'ara', 'eth', 'us', 'ina', 'or'];

/** The same names at each call. @returns {string[]} */
export function inventedNames(count = 400) {
  let state = 12345;
  const pick = (list) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return list[(state >> 8) % list.length];
  };
  const names = new Set();
  while (names.size < count) {
    let name = pick(onsets) + pick(vowels) + pick(codas);
    if (name.length < 4) name += pick(onsets) + pick(vowels);
    name += pick(['n', 'l', 'r', 'm', 't', 'd', 's', 'v']) + pick(ends);
    if (name.length >= 4 && name.length <= 11) names.add(name);
  }
  return [...names];
}

/** Names of a dropped file: one a line, letters a to z. */
export const namesIn = (text) =>
  text.toLowerCase().split(/\r?\n/).map((line) => line.replace(/[^a-z]/g, '').slice(0, 15)).filter((name) => name.length > 1).slice(0, 40000);
