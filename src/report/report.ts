import type { RuleTexts, Severity } from './rule.js';
import { SEVERITIES } from './rule.js';

/** The observation of a rule at one subject, with the texts of the rule. */
export interface Finding extends Omit<RuleTexts, 'id'> {
  /** The `id` of the rule. */
  readonly rule: string;
  readonly subject: string;
  /** The present state, as one sentence. */
  readonly is: string;
  /** The name of the server. If omitted, the default server. */
  readonly server?: string;
  readonly tenant?: string;
  /** Why and until which day the finding is accepted. If omitted, it is not accepted. */
  readonly accepted?: { readonly reason: string; readonly until: string };
  /** A sentence about an acceptance that has expired. If omitted, no acceptance has expired. */
  readonly expired?: string;
}

/** A report about the configuration of an application, or about a deployment. It is plain data, without secrets. */
export interface Report {
  /** When the report was made, in ISO 8601. */
  readonly at: string;
  /** The examined issuers, and the URL of the deployment. */
  readonly examined: readonly string[];
  /** The number of rules that judged. */
  readonly rules: number;
  /** The findings, the most severe first. */
  readonly findings: readonly Finding[];
  /** The number of findings that are left out, because one rule found too many, by the `id` of the rule. */
  readonly omitted: Readonly<Record<string, number>>;
  /** Entries of `accepted` that accept nothing, as `rule` or `rule subject`. Remove them. */
  readonly unusedAcceptances: readonly string[];
}

/** Returns the findings of at least a severity that are not accepted. */
export const openFindings = ({ findings }: Report, severity: Severity): readonly Finding[] =>
  findings.filter((one) => one.accepted === undefined && rankOf(one.severity) >= rankOf(severity));

/** Returns the rank of a severity, from 0 for `info`. */
export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** Returns the server and the tenant of a finding as text. Empty for the default server without tenants. */
export const placeOf = ({ server, tenant }: Finding): string =>
  [server !== undefined && `server ${server}`, tenant !== undefined && `tenant ${tenant}`].filter(Boolean).join(', ');

/** Returns the numbers of findings as one sentence. */
export function summaryOf({ findings, rules, examined, omitted }: Report): string {
  const open = findings.filter(({ accepted }) => accepted === undefined);
  const counts = SEVERITIES.toReversed().map(
    (severity) => `${open.filter((one) => one.severity === severity).length} ${severity}`,
  );
  const more = Object.values(omitted).reduce((sum, one) => sum + one, 0);
  return (
    `${rules} rules judged ${examined.join(', ')}: ${counts.join(', ')}, ${findings.length - open.length} accepted.` +
    (more > 0 ? ` ${more} further findings of the same rules are left out.` : '')
  );
}
