import { findKeys } from '../../lib/internal.js';
import { applicationIn } from '../report/find-servers.js';
import type { Modules } from '../report/facts/application.js';
import { openFindings, type Report } from '../report/report.js';
import { reportOn } from '../report/report-on.js';
import type { Severity } from '../report/rule.js';
import { type AttackReport, attackLab } from '../testing/attack-lab/index.js';
import { findServer } from '../testing/attack-lab/target.js';
import { checkStore } from './check-store.js';
import type { KillRequest } from './kills/check-kills.js';
import { type ConformanceRecord, digestOf, type Proof, type Verdicts } from './proof.js';
import type { ProofOptions, ProvenApplication } from './proof-options.js';
import { sign } from './signature.js';

/** The settings of one proof. */
export interface ProofRequest extends Omit<KillRequest, 'place'> {
  readonly version: string;
  readonly commit: string;
  /** The empty database or key prefix. Required if `store` is set. */
  readonly place: string | undefined;
  /** The severity from which an open finding fails the proof. `'never'` ignores findings. */
  readonly failOn: Severity | 'never';
  readonly conformance: readonly ConformanceRecord[];
}

type Contract = Awaited<ReturnType<typeof checkStore>> | undefined;

/**
 * Tests the store, examines the configuration, attacks the application, and returns the signed results.
 * @throws {InvalidArgumentError} If an option of the attack lab is wrong.
 * @throws {CommandError} If the database of the store holds clients.
 * @throws {AttackLabError} If an honest client gets no token.
 */
export async function makeProof({ application, lab = {}, store }: ProofOptions, request: ProofRequest): Promise<Proof> {
  const { seed, place } = request;
  const at = new Date().toISOString();
  const seconds: Record<string, number> = {};
  const timed = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await run();
    seconds[name] = Math.round((performance.now() - started) / 100) / 10;
    return result;
  };
  // A database that holds clients ends the proof before anything else changes.
  const contract =
    store && place !== undefined ? await timed('contract', () => checkStore(store, { ...request, place })) : undefined;
  const app = await application();
  try {
    await app.init();
    const doctor = await timed('doctor', () => judge(app, lab.tenant));
    const attacks = await timed('attacks', () => attackLab(app, { ...lab, seed }));
    const verdicts = verdictsOf(request, doctor, attacks, contract);
    const failed = contract?.failures ?? [];
    const details = { at, node: process.version, seconds, doctor, attacks: attacks.results, contract: failed };
    const unsigned = { format: 'nest-oauth2-proof/1', verdicts, digest: digestOf(verdicts), details } as const;
    const { context } = await findServer(app, lab, lab.tenant);
    return { ...unsigned, signature: await sign(unsigned, findKeys(context)) };
  } finally {
    await app.close();
  }
}

async function judge(app: ProvenApplication, tenant: string | undefined): Promise<Report> {
  // `ModulesContainer` would be another class if the application has its own copy of Nest.
  const { container } = app as unknown as { container: { getModules(): Modules } };
  const { servers, options } = applicationIn(container.getModules());
  return reportOn(servers, { ...options, ...(tenant !== undefined && { tenants: [tenant] }) });
}

function verdictsOf(
  { version, commit, seed, failOn, kills, conformance }: ProofRequest,
  doctor: Report,
  { results }: AttackReport,
  contract: Contract,
): Verdicts {
  const unfinished = conformance.filter((plan) => plan.unfinished > 0 || (plan.results['FAILED'] ?? 0) > 0);
  const sums: readonly [readonly unknown[], string][] = [
    [failOn === 'never' ? [] : openFindings(doctor, failOn), 'open findings of the configuration'],
    [results.filter(({ verdict }) => verdict === 'succeeded'), 'successful attacks'],
    [results.filter(({ verdict }) => verdict === 'inconclusive'), 'inconclusive attacks'],
    [contract?.failures ?? [], 'failed checks of the store'],
    [unfinished, 'conformance plans that failed or did not finish'],
  ];
  return {
    version,
    commit,
    seed,
    examined: doctor.examined,
    findings: doctor.findings.map(({ rule, severity, subject, server, tenant, accepted }) => ({
      rule,
      severity,
      subject,
      ...(server !== undefined && { server }),
      ...(tenant !== undefined && { tenant }),
      isAccepted: accepted !== undefined,
    })),
    attacks: results.map(({ id, verdict }) => ({ id, verdict })),
    ...(contract && {
      contract: {
        guarantees: contract.guarantees,
        kills,
        checks: contract.outcomes.map(({ name, result }) => ({ name, result })),
      },
    }),
    conformance,
    failures: sums.flatMap(([all, text]) => (all.length > 0 ? [`${text}: ${all.length}`] : [])),
  };
}
