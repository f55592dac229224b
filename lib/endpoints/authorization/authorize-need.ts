import type { ServerContext } from '../../contracts/feature.js';
import type { Need, Presence } from '../../contracts/required-interaction.js';
import type { Course } from './authorize-answer.js';

/** What all features together want to happen before a request is decided. OpenID Connect Core 1.0 §3.1.2.3 */
export async function findNeed(course: Course, presence: Presence, server: ServerContext): Promise<Need> {
  const all: Need = {};
  course.isPrompted = true;
  for (const require of server.hooks.authorization.requireInteraction) {
    const { wanted, ...need } = (await require(course.asked!, presence)) || {};
    for (const name of ['login', 'consent', 'silent'] as const) if (need[name]) all[name] = true;
    if (wanted) all.wanted = { ...all.wanted, ...wanted };
  }
  return all;
}
