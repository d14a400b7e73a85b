// What `slope explore RUN -o page.html` put into the page: {"title", "answer"}, a recorded step of a
// model, in the form of the engine's answers; or null.

const text = document.getElementById('run').textContent.trim();

/** @type {{title: string, answer: object} | null} */
export const runOfPage = text.startsWith('{') ? JSON.parse(text) : null;
