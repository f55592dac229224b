import { createHash } from 'node:crypto';
import type { Guarantee, Outcome as CheckOutcome } from '../../lib/kit/index.js';
import type { Finding, Report } from '../report/report.js';
import type { AttackResult } from '../testing/attack-lab/index.js';

/** The recorded results of one plan of a conformance suite. */
export interface ConformanceRecord {
  readonly plan: string;
  readonly platform: string;
  /** The commit whose build ran. */
  readonly commit: string;
  /** The number of modules by result, such as `PASSED`. */
  readonly results: Readonly<Record<string, number>>;
  readonly unfinished: number;
}

/** The part of a proof that the same commit and the same seed reproduce. */
export interface Verdicts {
  /** The version of nest-oauth2. */
  readonly version: string;
  /** The commit of the application. It ends with `-dirty` if files were changed. */
  readonly commit: string;
  readonly seed: number;
  /** The issuers of the examined servers. */
  readonly examined: readonly string[];
  readonly findings: readonly (Pick<Finding, 'rule' | 'severity' | 'subject' | 'server' | 'tenant'> & {
    readonly isAccepted: boolean;
  })[];
  readonly attacks: readonly Pick<AttackResult, 'id' | 'verdict'>[];
  /** `undefined` if the contract kit did not run. */
  readonly contract?: {
    readonly guarantees: Readonly<Record<string, Guarantee>>;
    /** The number of processes that were killed while they worked on the store. */
    readonly kills: number;
    readonly checks: readonly Pick<CheckOutcome, 'name' | 'result'>[];
  };
  readonly conformance: readonly ConformanceRecord[];
  /** Why the proof failed. Empty if it passed. */
  readonly failures: readonly string[];
}

/** The part of a proof that differs between runs. The signature protects it, and the digest does not contain it. */
export interface ProofDetails {
  /** When the proof was made, in ISO 8601. */
  readonly at: string;
  readonly node: string;
  /** Seconds that each part took. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly doctor: Report;
  readonly attacks: readonly AttackResult[];
  /** The failed checks of the contract kit, each with its message. */
  readonly contract: readonly { readonly name: string; readonly message: string }[];
}

/** A signed report. */
export interface Proof {
  readonly format: 'nest-oauth2-proof/1';
  readonly verdicts: Verdicts;
  /** The SHA-256 digest of the verdicts, in base64url. */
  readonly digest: string;
  readonly details: ProofDetails;
  /** A JWS in compact form over both parts. `null` if the server has no keys. RFC 7515 §7.1 */
  readonly signature: string | null;
}

/** Returns the digest of one part of a proof. Objects keep the order of their members in JSON. */
export const digestOf = (part: object): string => createHash('sha256').update(JSON.stringify(part)).digest('base64url');

/** Returns one sentence about the result. */
export function summaryOf({ verdicts: { failures, attacks, contract, findings } }: Proof): string {
  const open = findings.filter(({ isAccepted, severity }) => !isAccepted && severity !== 'info').length;
  const count = (wanted: string) => attacks.filter(({ verdict }) => verdict === wanted).length;
  const checks = (wanted: string) => contract?.checks.filter(({ result }) => result === wanted).length;
  return (
    `${failures.length === 0 ? 'Passed' : 'Failed'}: open findings: ${open}; attacks: ${count('resisted')} resisted, ` +
    `${count('succeeded')} succeeded, ${count('inconclusive')} inconclusive, ${count('not applicable')} not applicable; ` +
    `checks of the store: ${contract ? `${checks('passed')} passed, ${checks('failed')} failed` : 'not run'}.`
  );
}
