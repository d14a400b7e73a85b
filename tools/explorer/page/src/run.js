// What `slope explore RUN -o page.html` put into the page: a recorded step of a model as {"title",
// "answer"}, in the form of the engine's answers; or null.

const text = document.getElementById('run').textContent.trim();

/** @type {{title: string, answer: object} | null} */
export const runOfPage = text.startsWith('{') ? JSON.parse(text) : null;
