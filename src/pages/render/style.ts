import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../../../lib/index.js';
import { Html } from './html.js';

/** The style sheet of the pages. Colours and sizes that a theme may change are variables. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f2; --card: #fffefb; --ink: #1e2328; --muted: #59616a; --line: #dedad0; --field: #82868a;
  --accent: #1f5d57; --on-accent: #fff; --accent-soft: #e2eeeb; --bad: #98281d; --bad-soft: #fae8e4;
  --good: #17613a; --good-soft: #e0f0e5; --radius: .75rem; --width: 27rem;
  --font: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', sans-serif;
  --mono: ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131618; --card: #1b1f22; --ink: #e9e6df; --muted: #a4acb2; --line: #343a3f; --field: #7b8389;
    --accent: #86cdc1; --on-accent: #0c211e; --accent-soft: #1d3532; --bad: #f3a297; --bad-soft: #3d211e;
    --good: #8fd6a8; --good-soft: #1a3324;
  }
}
@media (prefers-contrast: more) { :root { --muted: var(--ink); --line: var(--field); } }
*, *::before, *::after { box-sizing: border-box; }
body {
  display: flex; flex-direction: column; align-items: center; min-height: 100vh; margin: 0;
  padding: clamp(1rem, 8vh, 5rem) 1rem 2rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}
header { width: min(100%, var(--width)); margin-bottom: 1rem; font-weight: 650; }
header a { display: flex; align-items: center; gap: .625rem; min-height: 2rem; color: inherit; text-decoration: none; }
header img { max-height: 2rem; }
.client-logo { display: block; max-width: 8rem; max-height: 3rem; }
main {
  width: min(100%, var(--width)); padding: clamp(1.25rem, 5vw, 2rem); border: 1px solid var(--line);
  border-radius: var(--radius); background: var(--card);
}
h1, h2, h3, p, ul { margin: 0; padding: 0; }
main > * + *, .stack > * + * { margin-top: .875rem; }
h1 { font-size: 1.625rem; font-weight: 680; line-height: 1.2; letter-spacing: -.02em; }
h3 { font-size: 1rem; line-height: 1.35; }
h2 { font-size: 1.0625rem; line-height: 1.35; }
a { color: var(--accent); }
code { padding: .1em .35em; border: 1px solid transparent; border-radius: .3em; background: var(--accent-soft); font: .875em var(--mono); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
svg { max-width: 100%; height: auto; }
.codes { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: var(--radius); user-select: all; }
.codes code { display: inline-block; background: none; }
.aside { color: var(--muted); font-size: .9375rem; }
b, code, bdi { unicode-bidi: isolate; }
code { direction: ltr; }
b, input { unicode-bidi: plaintext; }
.notice { padding: .75rem 1rem; border: 1px solid transparent; border-radius: var(--radius); background: var(--good-soft); color: var(--good); }
.notice.info { background: var(--accent-soft); color: var(--ink); }
.notice.bad { background: var(--bad-soft); color: var(--bad); }
label { display: block; margin: .875rem 0 .25rem; font-weight: 560; }
input, select, button, .button {
  min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--field); border-radius: var(--radius);
  background: transparent; color: inherit; font: inherit;
}
input, select { width: 100%; background: var(--paper); }
input[aria-invalid] { border-color: var(--bad); }
fieldset { margin: .875rem 0 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 560; }
label.check { display: flex; align-items: center; gap: .625rem; margin-top: 1rem; font-weight: 400; }
.check input { flex: none; width: 1.125rem; min-height: 1.125rem; margin: 0; accent-color: var(--accent); }
button, .button { font-weight: 560; text-align: center; text-decoration: none; cursor: pointer; }
.button { display: inline-block; }
button:hover, .button:hover { border-color: var(--accent); background: var(--accent-soft); color: var(--ink); }
.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.wide { display: block; width: 100%; margin-top: 1.25rem; }
.brand { display: flex; gap: .625rem; align-items: center; justify-content: center; border-color: #747775; background: #fff; color: #1f1f1f; }
.brand:hover { border-color: #747775; background: #f2f2f2; color: #1f1f1f; }
.brand picture { flex: none; height: 1.25rem; }
.brand img { height: 1.25rem; width: 1.25rem; object-fit: contain; }
@media (prefers-color-scheme: dark) {
  .brand { border-color: #8e918f; background: #131314; color: #e3e3e3; }
  .brand:hover { border-color: #8e918f; background: #2a2a2c; color: #e3e3e3; }
}
.choice { display: flex; flex-wrap: wrap; gap: .75rem; }
.choice > * { flex: 1 1 8rem; }
ul { list-style: none; }
.scopes, .details { border: 1px solid var(--line); border-radius: var(--radius); }
.details { padding: .5rem 1rem; overflow-wrap: anywhere; }
.scopes li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem .75rem; padding: .75rem 1rem; }
.scopes li + li { border-top: 1px solid var(--line); }
.scopes label.check { margin: 0; flex: 1 1 12rem; }
.scopes.long li { padding: .375rem 1rem; }
summary { cursor: pointer; }
section input:not([type='hidden']) + button, section :is(select, label, form > p) + button { margin-top: .875rem; }
input + .aside { margin-top: .375rem; }
.stack > label + input { margin-top: 0; }
main > section { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.applications > li { padding-top: 1.25rem; border-top: 1px solid var(--line); }
.applications > li + li { margin-top: 1.5rem; }
@media (forced-colors: active) {
  .primary { forced-color-adjust: none; border-color: Highlight; background: Highlight; color: HighlightText; }
}
`;

/** The style element of the pages, and its source in the Content Security Policy. CSP §2.3.1 */
export interface Style {
  element: Html;
  source: string;
}

/**
 * Returns the style element with the style sheet of the application added.
 * @throws {InvalidArgumentError} If the style sheet contains HTML.
 */
export function styleWith(css = ''): Style {
  if (/<\/?style|<!--/i.test(css)) {
    throw new InvalidArgumentError('Invalid argument: `css` of the pages must be a style sheet without HTML');
  }
  // HTML parsers convert line endings to line feeds, and browsers hash the result.
  const whole = (STYLE + css).replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\u{FFFD}');
  return { element: new Html(`<style>${whole}</style>`), source: `'sha256-${hash('sha256', whole, 'base64')}'` };
}
