import type { AttackText } from './attack.js';
import type { Outcome } from './outcome.js';
import type { SentRequest } from './wire.js';

/** The result of one attack. */
export interface AttackResult extends Pick<AttackText, 'id' | 'title' | 'source'> {
  readonly verdict: Outcome['verdict'];
  /** The evidence that the attack was resisted, or why it does not apply or is inconclusive. */
  readonly detail: string;
  /** If the attack succeeded: a command that repeats the request. Credentials and cookies are replaced. */
  readonly request?: string;
  /** If the attack succeeded: how to correct the application. */
  readonly remedy?: string;
}

/** Returns the result of an attack. */
export function resultOf({ id, title, source, remedy }: AttackText, outcome: Outcome): AttackResult {
  const base = { id, title, source, verdict: outcome.verdict };
  if (outcome.verdict === 'resisted') return { ...base, detail: outcome.evidence };
  if (outcome.verdict !== 'succeeded') return { ...base, detail: outcome.reason };
  const request = outcome.response && repeatable(outcome.response.sent);
  return { ...base, detail: outcome.how, ...(request !== undefined && { request }), remedy };
}

const SECRETS =
  /^(?:client_secret|password|client_assertion|csrf_token|code|code_verifier|device_code|token|(?:access|refresh|id|subject|actor)_token)$/;

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const hide = (text: string) =>
  text.replaceAll(/([^&?=]+)=([^&#]*)/g, (pair, name: string) => (SECRETS.test(name) ? `${name}=<${name}>` : pair));

/** Returns a curl command for a request, with placeholders for credentials, tokens and cookies. */
function repeatable({ method, url, headers, body }: SentRequest): string {
  const shown = Object.entries(headers).map(([name, value]) => {
    const scheme = /^\w+/.exec(value)?.[0];
    if (name === 'authorization') return `${name}: ${scheme} <credentials>`;
    if (name === 'cookie') return `${name}: ${value.replaceAll(/=[^;]*/g, '=<value>')}`;
    return `${name}: ${name === 'dpop' ? '<proof>' : value}`;
  });
  const data =
    body === undefined ? [] : ['--data', quoted(body.length > 2000 ? `${hide(body).slice(0, 2000)}…` : hide(body))];
  return [
    'curl',
    '-i',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(hide(url)),
    ...shown.flatMap((line) => ['-H', quoted(line)]),
    ...data,
  ].join(' ');
}

/** The report of an attack lab. */
export class AttackReport {
  constructor(
    readonly seed: number,
    readonly results: readonly AttackResult[],
    /** Seconds that the lab took. It is not part of the JSON, so that equal runs have equal reports. */
    readonly duration: number,
  ) {}

  /** Returns the results with a verdict. */
  of(verdict: Outcome['verdict']): AttackResult[] {
    return this.results.filter((result) => result.verdict === verdict);
  }

  /**
   * Verifies that no attack succeeded and that each applicable attack was carried out.
   * @throws {AttackLabError} If an attack succeeded or is inconclusive. The message lists these attacks.
   */
  assertResisted(): void {
    const found = [...this.of('succeeded'), ...this.of('inconclusive')];
    if (found.length === 0) return;
    throw new AttackLabError(`${this.summary}\n\n${found.map(describe).join('\n\n')}`);
  }

  /** Returns the report as text: what succeeded first, one line for each attack, and why the others do not apply. */
  toString(): string {
    const found = [...this.of('succeeded'), ...this.of('inconclusive')].map((result) => `${describe(result)}\n\n`);
    const lines: string[] = [];
    const reasons = new Map<string, string[]>();
    for (const { id, verdict, detail } of this.results) {
      if (verdict !== 'not applicable') lines.push(`${MARKS[verdict]} ${id}: ${verdict}, ${detail}`);
      else reasons.set(detail, [...(reasons.get(detail) ?? []), id]);
    }
    for (const [reason, ids] of reasons) lines.push(`- not applicable, ${reason}: ${ids.join(', ')}`);
    return `${this.summary}\n\n${found.join('')}${lines.join('\n')}\n`;
  }

  toJSON(): object {
    return { seed: this.seed, results: this.results };
  }

  private get summary(): string {
    const count = (verdict: Outcome['verdict']) => `${this.of(verdict).length} ${verdict}`;
    const counts = (['succeeded', 'inconclusive', 'resisted', 'not applicable'] as const).map(count).join(', ');
    return `Attack lab: ${this.results.length} attacks with the seed ${this.seed}: ${counts}.`;
  }
}

const MARKS = { succeeded: '✗', inconclusive: '?', resisted: '✓', 'not applicable': '-' } as const;

function describe({ id, title, source, verdict, detail, request, remedy }: AttackResult): string {
  const rows = [
    `${MARKS[verdict]} ${id}: ${title} (${source})`,
    `    ${verdict === 'succeeded' ? 'What happened' : 'Not tested, because'}: ${detail}`,
    request && `    Repeat it: ${request}`,
    remedy && `    Remedy: ${remedy}`,
  ];
  return rows.filter(Boolean).join('\n');
}

/** The error of `assertResisted()`. */
export class AttackLabError extends Error {
  override readonly name = 'AttackLabError';
}
