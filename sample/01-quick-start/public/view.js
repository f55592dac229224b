// Updates the page. All values are inserted as text and never as HTML.

const element = (id) => document.getElementById(id);

/** Shows a status message, which screen readers announce. `tone` is `good`, `calm` or `bad`. */
export function showStatus(message, tone = 'good') {
  const status = element('status');
  status.hidden = !message;
  status.className = `notice ${tone}`;
  status.textContent = message;
}

export function showTokens(tokens) {
  element('start').hidden = true;
  element('tokens').hidden = element('api').hidden = false;
  element('token-response').replaceChildren(...entries(tokens));
}

/** Shows an API request and its response. */
export function showCall({ method, path, status, challenge, body }) {
  const badge = create('span', { className: status < 400 ? 'badge good' : 'badge bad' }, statusText(status));
  const header = challenge ? `WWW-Authenticate: ${challenge}\n\n` : '';
  element('api-response').replaceChildren(
    create('p', { className: 'request' }, create('code', {}, `${method} ${path}`), badge),
    create('pre', {}, header + JSON.stringify(body, null, 2)),
  );
}

/** Marks a step as completed and shows its parameters. `state` is `done`, `denied` or `refused`. */
export function completeStep(id, details = {}, state = 'done') {
  const step = element(`step-${id}`);
  step.dataset.state = state;
  step.querySelector('.visually-hidden').textContent = `(${state})`;
  step.querySelector('.detail').replaceChildren(...entries(details));
  element('steps-title').textContent = 'What just happened';
}

/** Moves the keyboard focus to content that has just appeared. */
export const focusOn = (selector) => document.querySelector(selector).focus();

// HTTP/2 responses have no reason phrase.
const reasons = { 200: 'OK', 201: 'Created', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden' };
const statusText = (status) => `${status} ${reasons[status] ?? ''}`.trim();

const entries = (values) =>
  Object.entries(values).map(([name, value]) =>
    create('div', {}, create('dt', {}, name), create('dd', {}, String(value))),
  );

function create(tag, properties, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}
