import { assertConfig } from '../../lib/internal.js';

/** A finding that the application accepts for a while. */
export interface AcceptedFinding {
  /** The `id` of the rule. */
  readonly rule: string;
  /** The subject of the finding, such as `client:web`. If omitted, all subjects of the rule. */
  readonly subject?: string;
  /** Why the finding is accepted. The report shows it. */
  readonly reason: string;
  /** The last day, such as `2027-06-30`. Later, the finding counts again. */
  readonly until: string | Date;
}

/** The accepted findings of one report. */
export class AcceptedFindings {
  private readonly all: readonly (AcceptedFinding & { readonly end: number })[];
  private readonly used = new Set<AcceptedFinding>();

  /** @throws {InvalidArgumentError} If an entry has no rule, no reason or no valid day. */
  constructor(accepted: readonly AcceptedFinding[]) {
    this.all = accepted.map((one) => ({ ...one, end: lastMillisecond(one) }));
  }

  /**
   * Returns the entry that accepts a finding, or `undefined`. Entries that have not expired come first.
   * @param now The time of the report, in milliseconds since the epoch.
   */
  find(rule: string, subject: string, now: number) {
    const matching = this.all.filter((one) => one.rule === rule && (one.subject ?? subject) === subject);
    for (const one of matching) this.used.add(one);
    const valid = matching.find(({ end }) => end >= now);
    const found = valid ?? matching[0];
    return found && { reason: found.reason, until: dayOf(found.end), isExpired: !valid };
  }

  /** Returns the entries that accept nothing, so that they can be removed. */
  unused(): readonly AcceptedFinding[] {
    return this.all.filter((one) => !this.used.has(one));
  }
}

function lastMillisecond({ rule, reason, until }: AcceptedFinding): number {
  const name = `the accepted finding \`${rule}\``;
  assertConfig(typeof rule === 'string' && rule !== '', 'an accepted finding requires the id of a `rule`');
  assertConfig(typeof reason === 'string' && reason.trim() !== '', `${name} requires a \`reason\``);
  const isDay = typeof until === 'string' && /^\d{4}-\d\d-\d\d$/.test(until);
  const end = until instanceof Date ? until.getTime() : isDay ? Date.parse(`${until}T23:59:59.999Z`) : NaN;
  assertConfig(!Number.isNaN(end), `${name} requires \`until\`: the last day, such as '2027-06-30'`);
  return end;
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
