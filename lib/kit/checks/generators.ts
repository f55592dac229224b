import { type Check, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import type { Feature } from '../contract.js';

type Generator = 'generateAccessToken' | 'generateAuthorizationCode' | 'generateRefreshToken';

/** The checks of models that generate tokens or codes themselves. */
export const GENERATOR_CHECKS: readonly Check[] = [
  check('generateAccessToken', 'access tokens'),
  check('generateAuthorizationCode', 'authorization codes'),
  check('generateRefreshToken', 'refresh tokens'),
];

function check(generator: Generator, feature: Feature): Check {
  return {
    name: `generates ${feature} that cannot be guessed`,
    feature,
    needs: ['getClient', generator],
    attack: `An attacker who has received a few ${feature} can predict the ${feature} of other users.`,
    remedy:
      "Omit the method: the server generates 256 random bits. If you need it, use crypto.randomBytes(32).toString('base64url').",
    run: (context) => assertRandom(context, generator),
  };
}

async function assertRandom(context: CheckContext, generator: Generator): Promise<void> {
  const [client, user, scope] = [await context.client(), await context.user(), context.scope()];
  const made = await Promise.all(
    Array.from({ length: 50 }, async () => context.model[generator]!(client, user, scope)),
  );
  // If the method returns a falsy value, the server generates the value itself.
  const texts = made.filter(Boolean);
  const short = texts.find((text) => typeof text !== 'string' || text.length < 22);
  assert(
    short === undefined,
    `\`${generator}()\` returns ${inspectValue(short)}, which has fewer than 128 random bits.`,
  );
  assert(new Set(texts).size === texts.length, `\`${generator}()\` returns the same value twice.`);
}
