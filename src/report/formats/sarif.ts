import { createHash } from 'node:crypto';
import { type Finding, placeOf, type Report } from '../report.js';
import type { Severity } from '../rule.js';

/** The levels of SARIF by severity. SARIF 2.1.0 §3.27.10 */
const LEVELS: Readonly<Record<Severity, string>> = { high: 'error', medium: 'warning', low: 'note', info: 'none' };

/** The values by which code hosts rank alerts, in the range of CVSS. */
const RANKS: Readonly<Record<Severity, string>> = { high: '8.0', medium: '5.5', low: '3.0', info: '0.0' };

/** A file of the application. Code hosts show only alerts that have a file, and settings of a running server have none. */
const FILE = { artifactLocation: { uri: 'package.json' }, region: { startLine: 1 } };

/** Returns a report as a SARIF log, which code hosts and editors read. Accepted findings are suppressed. SARIF 2.1.0 */
export function sarifReport({ at, findings, examined }: Report): object {
  const rules = [...new Map(findings.map((one) => [one.rule, one])).values()];
  const indexes = new Map(rules.map(({ rule }, index) => [rule, index]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'nest-oauth2 doctor', rules: rules.map(ruleOf) } },
        invocations: [{ executionSuccessful: true, endTimeUtc: at }],
        properties: { examined },
        results: findings.map((one) => resultOf(one, indexes.get(one.rule)!)),
      },
    ],
  };
}

const ruleOf = ({ rule, severity, source, should, change, code, risk }: Finding) => ({
  id: rule,
  shortDescription: { text: should },
  help: { text: [change, code, `Risk: ${risk}`].filter((one) => one !== undefined).join('\n\n') },
  defaultConfiguration: { level: LEVELS[severity] },
  properties: { source, severity, tags: ['security'], 'security-severity': RANKS[severity] },
});

function resultOf(finding: Finding, ruleIndex: number): object {
  const { rule, severity, subject, is, accepted, expired } = finding;
  const name = [placeOf(finding), subject].filter(Boolean).join(', ');
  return {
    ruleId: rule,
    ruleIndex,
    kind: severity === 'info' ? 'informational' : 'fail',
    level: LEVELS[severity],
    message: { text: [`${name}: ${is}`, expired].filter((one) => one !== undefined).join(' ') },
    locations: [{ physicalLocation: FILE, logicalLocations: [{ name: subject, fullyQualifiedName: name }] }],
    partialFingerprints: {
      'ruleAndSubject/v1': createHash('sha256').update(`${rule}\n${name}`).digest('hex'),
    },
    ...(accepted && {
      suppressions: [{ kind: 'inSource', justification: `${accepted.reason} Until ${accepted.until}.` }],
    }),
  };
}
