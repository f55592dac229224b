import { type CollectedCapability, collectedCapability } from '../../lib/internal.js';
import type { ReportFacts } from './facts/facts.js';

/** The severities, the lowest first. `info` is a fact to know, not a finding to fix. */
export const SEVERITIES = ['info', 'low', 'medium', 'high'] as const;

/** How much a finding endangers users and clients. */
export type Severity = (typeof SEVERITIES)[number];

/** The texts of a rule, without the function that judges. */
export interface RuleTexts {
  /** The stable identifier of the rule, in kebab case. Accepted findings name it. */
  readonly id: string;
  readonly severity: Severity;
  /** The specification and section that the rule comes from, such as `RFC 9700 §2.1`. */
  readonly source: string;
  /** The correct state, as one sentence. */
  readonly should: string;
  /** The change to make, as one sentence. */
  readonly change: string;
  /** The code to write. If omitted, the change is not made in code. */
  readonly code?: string;
  /** The risk that remains if the finding is accepted. */
  readonly risk: string;
}

/** A rule that judges facts. Rules are plain values: `judge` may not change anything or send requests. */
export interface Rule<Facts> extends RuleTexts {
  /**
   * Whether the finding is only a fact (`info`) in development: the issuer is missing or has a loopback address, and
   * `NODE_ENV` is not `production`. Default: `false`.
   */
  readonly isFineInDevelopment?: boolean;
  /** Returns one observation for each subject that does not meet the rule. */
  readonly judge: (facts: Facts) => Iterable<Observation>;
}

/** A rule that judges the configuration of one server. */
export type ReportRule = Rule<ReportFacts>;

/** The observation of a rule at one subject. It must contain no secret. */
export interface Observation {
  /** The subject, such as `option:requirePKCE`, `client:web` or `key:2026-01`. Accepted findings may name it. */
  readonly subject: string;
  /** The present state, as one sentence. */
  readonly is: string;
  /** Default: the severity of the rule. */
  readonly severity?: Severity;
}

/** The capability key under which features contribute rules of their own to the report of their server. */
export const REPORT_RULES: CollectedCapability<ReportRule> = collectedCapability('report rules');

/** What a rule finds at one subject: the sentence, the whole observation, or a falsy value. */
export type Found = string | Omit<Observation, 'subject'> | false | undefined;

/** Returns one observation about a subject if something was found. */
export const observe = (subject: string, found: Found): readonly Observation[] =>
  found ? [{ subject, ...(typeof found === 'string' ? { is: found } : found) }] : [];

/** Judges facts: returns what it finds at the subject in the table, or observations about several subjects. */
export type Judge<Facts> = (facts: Facts) => Found | readonly Observation[];

/**
 * Returns rules as plain values, from a table and the functions that judge, by the `id` of the rule.
 * @param table A row for each rule: `id | severity | subject | source | should | change | code | risk`. A severity with
 * `*` is `info` in development. The subject is empty if the function returns observations.
 */
export const rulesOf = <Facts>(table: string, judges: Readonly<Record<string, Judge<Facts>>>): readonly Rule<Facts>[] =>
  table
    .trim()
    .split('\n')
    .map((row) => ruleOf(row.split('|').map((cell) => cell.trim()) as Row, judges));

type Row = [string, string, string, string, string, string, string, string];

function ruleOf<Facts>(row: Row, judges: Readonly<Record<string, Judge<Facts>>>): Rule<Facts> {
  const [id, marked, subject, source, should, change, code, risk] = row;
  const severity = marked.replace('*', '') as Severity;
  return {
    id,
    severity,
    source,
    should,
    change,
    risk,
    ...(code !== '' && { code }),
    isFineInDevelopment: marked.endsWith('*'),
    judge(facts) {
      const found = judges[id]!(facts);
      return isList(found) ? found : observe(subject, found);
    },
  };
}

const isList = (found: Found | readonly Observation[]): found is readonly Observation[] => Array.isArray(found);
