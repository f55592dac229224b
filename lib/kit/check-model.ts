import { toOAuthError } from '../errors/index.js';
import { CheckContext } from './check-context.js';
import { CHECKS } from './checks/index.js';
import { type Check, type CheckedMethod, ContractViolation, CheckFailure, SkippedCheck } from './contract.js';
import { makeReport, type Outcome, type Report } from './report.js';
import { type ContractOptions, FixtureError, type MakeModel, type TestSubject } from './test-subject.js';

/**
 * Proves a model without any test runner.
 * @returns a report; it rejects only when there is no model to prove
 */
export async function checkModel(
  makeModel: MakeModel,
  options: ContractOptions = {},
  name = 'the model',
): Promise<Report> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check, makeModel, options));
  return makeReport(name, outcomes);
}

/** Makes one check on a model of its own. */
export async function runCheck(check: Check, makeModel: MakeModel, options: ContractOptions): Promise<Outcome> {
  const made = await makeModel();
  const subject = isSubject(made) ? made : { model: made };
  const { name, feature, race = false } = check;
  const has = (method: CheckedMethod) => typeof subject.model[method] === 'function';
  try {
    if (!check.needs.every(has)) return { name, feature, race, result: 'absent' };
    await check.run(new CheckContext({ ...options, ...subject }, options.parallel));
    return { name, feature, race, result: 'passed' };
  } catch (error) {
    if (error instanceof SkippedCheck) return { name, feature, race, result: 'left out', reason: error.message };
    return { name, feature, race, result: 'failed', error: violation(check, error) };
  } finally {
    await subject.cleanUp?.();
  }
}

function isSubject(made: object): made is TestSubject {
  return 'model' in made && typeof made.model === 'object' && made.model !== null && !('saveToken' in made);
}

/** What a model throws where it should answer is as much a finding as a wrong answer. */
function violation(check: Check, error: unknown): Error {
  if (error instanceof FixtureError) return error;
  if (error instanceof CheckFailure) return new ContractViolation(check, error);
  // What a model threw is inside the answer that the server made of it.
  const { stack, message } = toOAuthError(error).inner ?? toOAuthError(error);
  return new ContractViolation(check, new Error(`it failed with ${stack ?? message}`, { cause: error }));
}
