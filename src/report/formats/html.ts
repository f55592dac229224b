import { createHash } from 'node:crypto';

import { escapeHtml } from '../../../lib/internal.js';
import { type Finding, placeOf, type Report, summaryOf } from '../report.js';
import { groupByRule } from './text.js';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3b4252); --soft: light-dark(#f4f5f7, #22262e); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
section { border: 1px solid var(--line); border-left-width: 6px; border-radius: 6px; margin: 1rem 0; padding: 0 1rem; }
section.high { border-left-color: #c62828; } section.medium { border-left-color: #ef6c00; }
section.low { border-left-color: #f9a825; } section.info { border-left-color: #1976d2; }
h2 { font-size: 1.05rem; } dt { font-weight: 600; } dd { margin: 0 0 .5rem 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .5rem; overflow: auto; white-space: pre-wrap; }`;

/** Allows only the style of the page: no scripts, no forms and no requests. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'none'; base-uri 'none'`;

/** Returns a report as an HTML page that loads nothing. All texts are escaped. */
export const htmlReport = (report: Report): string =>
  htmlPage(
    'OAuth 2.0 report',
    `<p>${text(summaryOf(report))} <time datetime="${text(report.at)}">${text(report.at)}</time></p>
${findingSections(report)}`,
  );

/** Returns the sections of a report: open findings, accepted findings, and acceptances to remove. */
export function findingSections({ findings, unusedAcceptances }: Report): string {
  const sections = (isAccepted: boolean) =>
    groupByRule(findings.filter(({ accepted }) => (accepted !== undefined) === isAccepted)).map(sectionOf);
  const accepted = sections(true);
  return [
    ...sections(false),
    ...(accepted.length > 0 ? ['<h1>Accepted</h1>', ...accepted] : []),
    ...unusedAcceptances.map((one) => `<p>\`accepted\` matches nothing: ${text(one)}</p>`),
  ].join('\n');
}

/**
 * Returns an HTML page that loads nothing and runs nothing.
 * @param body The content of the page, already escaped.
 */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${text(title)}</h1>
${body}
</body>
</html>
`;

function sectionOf(findings: readonly [Finding, ...Finding[]]): string {
  const [{ severity, rule, source, should, change, code, risk }] = findings;
  return `<section class="${text(severity)}">
<h2>${text(severity)}: ${text(rule)} <small>${text(source)}</small></h2>
<ul>${findings.map(itemOf).join('')}</ul>
<dl>
<dt>Should</dt><dd>${sentence(should)}</dd>
<dt>Change</dt><dd>${sentence(change)}${code === undefined ? '' : `<pre><code>${text(code)}</code></pre>`}</dd>
<dt>Risk</dt><dd>${sentence(risk)}</dd>
</dl>
</section>`;
}

function itemOf(one: Finding): string {
  const place = placeOf(one);
  const more = one.accepted ? `Accepted until ${one.accepted.until}: ${one.accepted.reason}` : one.expired;
  return `<li>${text(place && `${place}, `)}<b>${text(one.subject)}</b>: ${sentence(one.is)}${more === undefined ? '' : ` <em>${text(more)}</em>`}</li>`;
}

/** Escapes a sentence, and shows its parts in backticks as code. */
const sentence = (value: string) => text(value).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Escapes a text, and replaces control characters and those that change the direction of text. */
export const text = (value: string): string =>
  escapeHtml(value.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\u{FFFD}'));
