import { type Check, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { inspectValue } from './model-calls.js';
import type { Feature } from '../contract.js';

type Generator = 'generateAccessToken' | 'generateAuthorizationCode' | 'generateRefreshToken';

/** What a model makes itself instead of leaving it to the server. */
export const GENERATOR_CHECKS: readonly Check[] = [
  check('generateAccessToken', 'access tokens'),
  check('generateAuthorizationCode', 'authorization codes'),
  check('generateRefreshToken', 'refresh tokens'),
];

function check(generator: Generator, feature: Feature): Check {
  return {
    name: `makes ${feature} that nobody can guess`,
    feature,
    needs: ['getClient', generator],
    attack: `somebody who has seen a few ${feature} computes those of everybody else.`,
    remedy: "crypto.randomBytes(32).toString('base64url'); or leave the method out: the server does just that.",
    run: (trial) => assertRandom(trial, generator),
  };
}

async function assertRandom(trial: CheckContext, generator: Generator): Promise<void> {
  const [client, user, scope] = [await trial.client(), await trial.user(), trial.scope()];
  const made = await Promise.all(Array.from({ length: 50 }, async () => trial.model[generator]!(client, user, scope)));
  // A falsy answer leaves it to the server.
  const texts = made.filter(Boolean);
  const short = texts.find((text) => typeof text !== 'string' || text.length < 22);
  assert(short === undefined, `\`${generator}()\` returns ${inspectValue(short)}: fewer than 128 random bits`);
  assert(new Set(texts).size === texts.length, `\`${generator}()\` returns the same text twice`);
}
