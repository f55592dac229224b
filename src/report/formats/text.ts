import { type Finding, placeOf, type Report, summaryOf } from '../report.js';

/** The column in which the sentences begin. */
const INDENT = 10;

/** Returns a report for a terminal. Characters that a terminal interprets are replaced. */
export function textReport(report: Report): string {
  const open = report.findings.filter(({ accepted }) => accepted === undefined);
  const blocks = [...groupByRule(open.filter(({ severity }) => severity !== 'info'))].map(block);
  const facts = [...groupByRule(open.filter(({ severity }) => severity === 'info'))].map(fact);
  const accepted = report.findings.flatMap((one) =>
    one.accepted
      ? [line(one.rule, `${describe(one)} Accepted until ${one.accepted.until}: ${one.accepted.reason}`)]
      : [],
  );
  const unused = report.unusedAcceptances.map((one) => line('', `\`accepted\` matches nothing: ${one}`));
  const sections = [
    ...blocks,
    ...section('To know', facts),
    ...section('Accepted', accepted),
    ...section('Remove', unused),
    printable(summaryOf(report)),
  ];
  return sections.join('\n\n');
}

/** Groups findings that have the same rule and severity. */
export function groupByRule(findings: readonly Finding[]): readonly (readonly [Finding, ...Finding[]])[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const one of findings) {
    const key = `${one.severity} ${one.rule}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

function block(findings: readonly [Finding, ...Finding[]]): string {
  const [{ severity, rule, source, should, risk }] = findings;
  return [
    printable(`${severity.toUpperCase().padEnd(INDENT)}${rule}  (${source})`),
    ...findings.map((one) => line('', describe(one))),
    line('Should', should),
    ...remedy(findings),
    line('Risk', risk),
  ].join('\n');
}

function fact(findings: readonly [Finding, ...Finding[]]): string {
  const seen = findings.map((one) => line('', describe(one)));
  return [`  ${printable(findings[0].rule)}`, ...seen, ...remedy(findings)].join('\n');
}

/** Returns what to change, with the code to write. */
const remedy = ([{ change, code }]: readonly [Finding, ...Finding[]]) => [
  line('Change', change),
  ...(code === undefined ? [] : [line('', code)]),
];

/** Returns the subject, the observation, and the sentence about an expired acceptance. */
const describe = (one: Finding) =>
  [placeOf(one) && `[${placeOf(one)}]`, `${one.subject}:`, one.is, one.expired].filter(Boolean).join(' ');

/** Returns a labelled text in one line, or in two if the label is long. */
const line = (label: string, text: string) =>
  label.length < INDENT
    ? `  ${label.padEnd(INDENT - 2)}${printable(text)}`
    : `  ${printable(label)}\n${' '.repeat(INDENT)}${printable(text)}`;

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [[title.toUpperCase(), ...lines].join('\n')];

/** Replaces characters that a terminal may interpret. A client could otherwise add lines of its own by its ID. */
const printable = (text: string) => text.replaceAll(UNPRINTABLE, '\u{FFFD}');

/** Control characters, and characters that end a line or change the direction of text. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
