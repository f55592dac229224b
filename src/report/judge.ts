import type { AcceptedFindings } from './accepted-findings.js';
import { type Finding, rankOf, type Report } from './report.js';
import type { Observation, Rule } from './rule.js';

/** Where findings belong to. */
interface Place {
  readonly server?: string | undefined;
  readonly tenant?: string | undefined;
}

/** Maximum number of findings of one rule at one server. The others are only counted. */
const MAX_FINDINGS = 100;

/** Collects the findings of rules in one report. */
export class Judgement {
  private readonly findings: Finding[] = [];
  private readonly omitted: Record<string, number> = {};
  private readonly examined: string[] = [];
  private readonly rules = new Set<string>();

  constructor(
    private readonly accepted: AcceptedFindings,
    private readonly now = Date.now(),
  ) {}

  /**
   * Judges facts by rules.
   * @param examined The issuer or URL that the facts are about.
   */
  judge<Facts extends { readonly isDevelopment: boolean }>(
    facts: Facts,
    rules: readonly Rule<Facts>[],
    examined: string,
    place: Place = {},
  ): void {
    this.examined.push(examined);
    for (const rule of rules) {
      this.rules.add(rule.id);
      const found = observationsOf(rule, facts).map((one) => this.findingOf(rule, one, facts.isDevelopment, place));
      // Open findings are kept before accepted ones.
      const kept = found.toSorted(byUrgency).slice(0, MAX_FINDINGS);
      this.findings.push(...kept);
      if (found.length > kept.length) {
        this.omitted[rule.id] = (this.omitted[rule.id] ?? 0) + found.length - kept.length;
      }
    }
  }

  /** Returns the report about everything that was judged. */
  report(): Report {
    return {
      at: new Date(this.now).toISOString(),
      examined: this.examined,
      rules: this.rules.size,
      findings: this.findings.toSorted(byUrgency),
      omitted: this.omitted,
      unusedAcceptances: this.accepted
        .unused()
        .map(({ rule, subject }) => (subject === undefined ? rule : `${rule} ${subject}`)),
    };
  }

  private findingOf<Facts>(rule: Rule<Facts>, observed: Observation, isDevelopment: boolean, place: Place): Finding {
    const { id, severity, isFineInDevelopment = false, judge: _, code, ...texts } = rule;
    const { subject, is } = observed;
    const acceptance = this.accepted.find(id, subject, this.now);
    return {
      rule: id,
      severity: isFineInDevelopment && isDevelopment ? 'info' : (observed.severity ?? severity),
      subject,
      is,
      ...texts,
      ...(code !== undefined && { code: commandFor(subject, code) }),
      ...(place.server !== undefined && { server: place.server }),
      ...(place.tenant !== undefined && { tenant: place.tenant }),
      ...(acceptance && !acceptance.isExpired && { accepted: { reason: acceptance.reason, until: acceptance.until } }),
      ...(acceptance?.isExpired && {
        expired: `The acceptance ended on ${acceptance.until}. Its reason was: ${acceptance.reason}`,
      }),
    };
  }
}

/** Returns what a rule observes. If it throws, this is the only observation, so that other rules still count. */
function observationsOf<Facts>(rule: Rule<Facts>, facts: Facts): readonly Observation[] {
  try {
    return [...rule.judge(facts)];
  } catch (error) {
    // The message may contain a value of the configuration.
    return [{ subject: 'rule', is: `The rule failed with a ${(error as Error | undefined)?.name ?? 'value'}.` }];
  }
}

/** Orders open findings before accepted ones, and severe ones before others. */
const byUrgency = (a: Finding, b: Finding): number =>
  Number(a.accepted !== undefined) - Number(b.accepted !== undefined) || rankOf(b.severity) - rankOf(a.severity);

/** Names the client of a finding in its command. An ID with other characters could run in a shell. */
const commandFor = (subject: string, code: string) => {
  const id = /^client:(\w[\w.-]*)$/.exec(subject)?.[1];
  return id === undefined ? code : code.replace('clients change web', `clients change ${id}`);
};
