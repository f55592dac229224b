import type { Awaitable, ServerContext, SignIn, UpstreamSession, User } from '../../../lib/index.js';
import { capability, collectedCapability } from '../../../lib/internal.js';
import type { PageRequest } from '../site.js';

/** A login whose user has been identified by a method, and that may have to pass steps before the session starts. */
export interface Login extends Pick<SignIn, 'acr' | 'amr' | 'authTime'> {
  readonly user: User;
  /** The session at another provider, if the user signed in there. */
  readonly upstream?: UpstreamSession | undefined;
  /** Whether the browser may continue the session after it expires. */
  readonly remember?: boolean;
  /** The IDs of the steps that the login has passed. */
  readonly passedSteps?: readonly string[];
  /** The ID of the step that a pending login waits for. */
  readonly pendingStep?: string;
}

/** How a step has begun, or why it could not. */
export interface StepStart {
  /** The query of the page of the step. */
  readonly query?: Readonly<Record<string, string>>;
  /** Why the step could not begin. The login page reports it after a password; otherwise the page of the step is shown. */
  readonly problem?: 'busy' | 'throttled';
}

/**
 * A step between the identification of the user and the session, such as a second factor, the verification of an e-mail
 * address or the choice of an organisation. A feature contributes it under `LOGIN_STEPS`, with an endpoint for its page.
 */
export interface LoginStep {
  /** Identifies the step, such as `verifyEmail`. */
  readonly id: string;
  /** The ID of the endpoint of the page of the step. */
  readonly endpoint: string;
  /** The IDs of the steps that a login must pass before. Without it, steps are ordered by ID, after `secondFactor`. */
  readonly after?: string | readonly string[];
  /** Seconds in which the user must pass the step. Default: `300`. */
  readonly lifetime?: number;
  /**
   * Returns whether this login must pass the step. It is called for every method of login, so decide by the user and by
   * `acr` and `amr` of the login. A step that the login has passed is not required again.
   */
  isRequired(login: Login, pageRequest: PageRequest): Awaitable<boolean>;
  /**
   * Whether the step may be completed elsewhere, such as by a link in an e-mail. The page of the step then continues the
   * login as soon as `isRequired` returns `false`. Default: `false`.
   */
  readonly endsElsewhere?: boolean;
  /** Begins the step, for example sends a code. Called once, before the page of the step is shown. */
  begin?(login: Login, pageRequest: PageRequest): Awaitable<StepStart>;
}

/** The capability key under which features contribute the steps of a login. */
export const LOGIN_STEPS = collectedCapability<LoginStep>('login steps');

/** The ID of the step of the second factor. Other steps may come after it even if the server has no second factor. */
export const SECOND_FACTOR_STEP = 'secondFactor';

/** The capability key of the step of the second factor. `undefined` if the server has no second factor. */
export const SECOND_FACTOR_LOGIN = capability<LoginStep | undefined>('step of the second factor', 'pages');

/** Returns the steps of the logins of a server: the second factor, and those of features. */
export const loginStepsOf = (server: ServerContext): readonly LoginStep[] => [
  ...[server.find(SECOND_FACTOR_LOGIN) ?? []].flat(),
  ...server.all(LOGIN_STEPS),
];

/**
 * Returns the step that a login must pass next, or `undefined` if the session may start. Nothing else decides this, for
 * all methods of login.
 * @param steps the steps in their order
 */
export async function nextStep(
  steps: readonly LoginStep[],
  login: Login,
  pageRequest: PageRequest,
): Promise<LoginStep | undefined> {
  for (const step of steps) {
    if (login.passedSteps?.includes(step.id)) continue;
    if (await step.isRequired(login, pageRequest)) return step;
  }
  return undefined;
}

const predecessorsOf = ({ after = [] }: LoginStep): readonly string[] => [after].flat();

/**
 * Returns the steps in the order that their `after` declares, independent of the order of the features. Steps in a
 * cycle are left out.
 */
export function orderSteps(steps: readonly LoginStep[]): readonly LoginStep[] {
  const waiting = steps.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1));
  const ids = new Set(waiting.map(({ id }) => id));
  const ordered: LoginStep[] = [];
  const isReady = (step: LoginStep) =>
    predecessorsOf(step).every((id) => !ids.has(id) || ordered.some((one) => one.id === id));
  for (;;) {
    const at = waiting.findIndex(isReady);
    if (at < 0) return ordered;
    ordered.push(...waiting.splice(at, 1));
  }
}

const rankOf = ({ id }: LoginStep) => (id === SECOND_FACTOR_STEP ? 0 : 1);

/** Returns the configuration errors of the steps: duplicate or unknown IDs, missing endpoints and cycles. */
export function findStepErrors(steps: readonly LoginStep[], endpoints: ReadonlyMap<string, unknown>): string[] {
  const ids = steps.map(({ id }) => id);
  const known = new Set([...ids, SECOND_FACTOR_STEP]);
  const errors: string[] = [];
  for (const step of steps) {
    const { id, endpoint } = step;
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) errors.push(`two features contribute the login step \`${id}\``);
    if (!endpoints.has(endpoint)) errors.push(`the login step \`${id}\` has no endpoint \`${endpoint}\`: add it`);
    const unknown = predecessorsOf(step).find((one) => !known.has(one));
    if (unknown !== undefined) {
      const remedy = `the known steps are ${[...known].map((one) => `\`${one}\``).join(', ')}`;
      errors.push(`\`after\` of the login step \`${id}\` names the unknown step \`${unknown}\`: ${remedy}`);
    }
  }
  const ordered = orderSteps(steps);
  const cyclic = ids.filter((id) => !ordered.some((one) => one.id === id));
  if (cyclic.length > 0) {
    errors.push(`the login steps ${cyclic.map((id) => `\`${id}\``).join(', ')} wait for each other: change \`after\``);
  }
  return errors;
}
