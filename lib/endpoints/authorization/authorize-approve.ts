import { InvalidArgumentError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { User } from '../../model/model.js';
import type { Options } from '../../options/settle.js';
import type { Presence } from '../../contracts/required-interaction.js';
import type { Decision } from '../../contracts/response-type.js';
import { hasDetails } from '../../contracts/authorization-details.js';
import { approveScope, scopeText, withinScope } from '../../tokens/scope.js';
import { keptOf } from '../../tokens/signed-in.js';
import type { Course } from './authorize-answer.js';
import { loginRequired } from './authorize-events.js';
import { findNeed } from './authorize-need.js';

interface Facts {
  options: Options;
  server: ServerContext;
}

/** What of the scope this user would grant: the model is asked once, and so are features of what else is asked. */
export async function grantable(course: Course, user: User, { options, server }: Facts): Promise<string | undefined> {
  const { asked, client, scope } = course;
  if (course.grantable?.user === user) return course.grantable.scope;
  const { ignorableScopes } = server;
  const approved = await approveScope(
    { ...options, ignorableScopes },
    { client, user, scope },
    !hasDetails(asked!.data),
  );
  for (const hook of server.hooks.authorization.approve) await hook(asked!, { user });
  course.grantable = { user, scope: approved };
  return approved;
}

/** Settles what is granted where a user has agreed: of the scope, what they agreed to and would be granted. RFC 6749 §3.3 */
export async function approve(course: Course, decision: Decision, facts: Facts): Promise<void> {
  const { user, error } = decision;
  const { server } = facts;
  if (!user && !error) throw new InvalidArgumentError(UNDECIDED);
  if (!user || error) return;
  if (!course.isPrompted && server.hooks.authorization.requireInteraction.length > 0)
    await verifyPresence(course, { user, signIn: decision.signIn }, server);
  const most = await grantable(course, user, facts);
  const asked = course.asked!;
  asked.scope = decision.scope === undefined ? most : scopeText(withinScope(most, decision.scope));
  for (const hook of server.hooks.authorization.approve) await hook(asked, { user, decision });
  if (decision.signIn) Object.assign(asked.data, keptOf(decision.signIn));
}

/** Of a host that decides without a word of what has to happen before: that has happened, or the client hears of it. */
async function verifyPresence(course: Course, presence: Presence, server: ServerContext): Promise<void> {
  const { login } = await findNeed(course, presence, server);
  if (login) throw loginRequired();
}

const UNDECIDED = 'Invalid argument: a decision has a `user` who agreed, or an `error`';
