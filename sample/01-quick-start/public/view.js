// Puts things on the page: always as text, never as HTML.

const element = (id) => document.getElementById(id);

/** Says in a sentence what happened, as good news unless it is `calm` or `bad`; read out by screen readers. */
export function say(sentence, tone = 'good') {
  const status = element('status');
  status.hidden = !sentence;
  status.className = `notice ${tone}`;
  status.textContent = sentence;
}

export function showTokens(tokens) {
  element('start').hidden = true;
  element('tokens').hidden = element('api').hidden = false;
  element('token-answer').replaceChildren(...entries(tokens));
}

/** What was sent to the API and what came back. */
export function showCall({ method, path, status, challenge, body }) {
  const badge = create('span', { className: status < 400 ? 'badge good' : 'badge bad' }, statusText(status));
  const header = challenge ? `WWW-Authenticate: ${challenge}\n\n` : '';
  element('answer').replaceChildren(
    create('p', { className: 'request' }, create('code', {}, `${method} ${path}`), badge),
    create('pre', {}, header + JSON.stringify(body, null, 2)),
  );
}

/** Ticks a step off, with the values that made it up. */
export function tick(id, details = {}, state = 'done') {
  const step = element(`step-${id}`);
  step.dataset.state = state;
  step.querySelector('.only-heard').textContent = `(${state})`;
  step.querySelector('.detail').replaceChildren(...entries(details));
  element('steps-title').textContent = 'What just happened';
}

/** The focus follows what appeared, for those who do not use a mouse. */
export const focusOn = (selector) => document.querySelector(selector).focus();

// HTTP/1.1 sends a reason with the status, HTTP/2 does not: said here for both.
const reasons = { 200: 'OK', 201: 'Created', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' };
const statusText = (status) => `${status} ${reasons[status] ?? ''}`.trim();

const entries = (values) =>
  Object.entries(values).map(([name, value]) =>
    create('div', {}, create('dt', {}, name), create('dd', {}, String(value))),
  );

function create(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
