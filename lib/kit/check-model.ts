import { toOAuthError } from '../errors/index.js';
import { CheckContext } from './check-context.js';
import { CHECKS } from './checks/index.js';
import { type Check, type CheckedMethod, ContractViolation, CheckFailure } from './contract.js';
import { outcomeOf } from './outcome-of.js';
import { makeReport, type Outcome, type Report } from './report.js';
import { type ContractOptions, FixtureError, type MakeModel, type TestSubject } from './test-subject.js';

/**
 * Runs all contract checks on a model, without a test runner.
 * @returns The report, also if checks fail. The promise rejects only if `makeModel` or `cleanUp()` of the test subject
 * fails.
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

/**
 * Runs one contract check on a new model and closes the model afterwards. Returns the outcome, also if the check fails.
 */
export async function runCheck(check: Check, makeModel: MakeModel, options: ContractOptions): Promise<Outcome> {
  const made = await makeModel();
  const subject = isSubject(made) ? made : { model: made };
  const has = (method: CheckedMethod) => typeof subject.model[method] === 'function';
  const run = async () => {
    if (!check.needs.every(has)) return 'absent';
    await check.run(new CheckContext({ ...options, ...subject }, options.parallel));
    return 'passed';
  };
  return outcomeOf(check, run, (error) => violation(check, error), subject.cleanUp?.bind(subject));
}

function isSubject(made: object): made is TestSubject {
  return 'model' in made && typeof made.model === 'object' && made.model !== null && !('saveToken' in made);
}

/**
 * Returns the error to report for a failed check. An exception of the model counts as a violation of the contract, like
 * a wrong result. A `FixtureError` is returned as it is.
 */
function violation(check: Check, error: unknown): Error {
  if (error instanceof FixtureError) return error;
  if (error instanceof CheckFailure) return new ContractViolation(check, error);
  // The server wraps exceptions of the model in an `OAuthError`, whose `inner` is the original.
  const { stack, message } = toOAuthError(error).inner ?? toOAuthError(error);
  return new ContractViolation(
    check,
    new Error(`The model or the server threw an error: ${stack ?? message}`, { cause: error }),
  );
}
