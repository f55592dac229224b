import type { Model, ModelMethod } from '../../lib/index.js';
import { called, type FeatureList, flatten } from '../../lib/feature-list.js';
import { formerName } from '../../lib/model/require-methods.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { checkMethods } from './model-methods.js';
import { verify } from './verify.js';

const CODE_METHODS = ['saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode'] as const;

/** What is asked of a method's absence: which one, for what, and how to do without. */
interface Need {
  method: ModelMethod;
  purpose: string;
  otherwise: string;
}

/** Checks that the model is one, and that none of its features is half there. */
export function checkModel(model: unknown, options: OAuth2Options, issuing: boolean): asserts model is Model {
  verify(
    model !== undefined && model !== null,
    'OAuth2Module needs the option `model`: a class, an instance or a provider',
  );
  verify(
    typeof model !== 'function',
    'the `model` is a class where an instance is due: give the class beside the factory',
  );
  verify(typeof model === 'object', 'the option `model` must be a class, an instance or a provider');
  checkMethods(model as Model);
  checkNeeds(model as Model, options, issuing);
}

function checkNeeds(
  model: Model,
  { authenticateHandler, grantLifetime, refreshTokenReuseInterval }: OAuth2Options,
  issuing: boolean,
) {
  if (issuing) {
    const otherwise = 'set `controllers: false` where tokens are only checked';
    demand(model, { method: 'getClient', purpose: 'which finds the clients', otherwise });
    demand(model, { method: 'saveToken', purpose: 'which keeps what is issued', otherwise });
    if (authenticateHandler) demandCodes(model, 'authenticateHandler');
  }
  const other = CODE_METHODS.find((method) => has(model, method));
  for (const method of other ? CODE_METHODS : []) {
    demand(model, { method, purpose: `which belongs to \`${other}()\``, otherwise: `leave \`${other}()\` out too` });
  }
  if (has(model, 'getRefreshToken')) {
    const otherwise = 'leave `getRefreshToken()` out too';
    demand(model, { method: 'revokeToken', purpose: 'which spends a refresh token', otherwise });
  }
  if (Number(grantLifetime) > 0) demand(model, { method: 'revokeGrant', ...neededBy('grantLifetime') });
  if (Number(refreshTokenReuseInterval) > 0) {
    for (const method of ['revokeGrant', 'redeem'] as const) {
      demand(model, { method, ...neededBy('refreshTokenReuseInterval') });
    }
  }
}

/** Users are asked for their consent so that codes can be given out. */
export function demandCodes(model: Model, option: 'authenticateHandler' | 'interaction'): void {
  for (const method of CODE_METHODS) {
    demand(model, { method, ...neededBy(option) });
  }
}

/** Checks that the model has what the features ask of it. */
export function checkFeatures(model: Model, features: FeatureList = []): void {
  for (const feature of flatten(features)) {
    const purpose = `which the feature ${called(feature)} needs`;
    for (const method of feature.requires ?? []) {
      demand(model, { method: method as ModelMethod, purpose, otherwise: 'leave it out of `features`' });
    }
  }
}

const neededBy = (option: keyof OAuth2Options) => ({
  purpose: `without which the option \`${option}\` is of no use`,
  otherwise: `leave \`${option}\` out`,
});

const has = (model: object, method: string) => typeof (model as Record<string, unknown>)[method] === 'function';

function demand(model: Model, { method, purpose, otherwise }: Need): void {
  const old = formerName(model, method);
  const remedy = old !== undefined ? `\`${old}()\` of 2.x is called so now` : `implement it, or ${otherwise}`;
  verify(has(model, method), `the model has no method \`${method}()\`, ${purpose}: ${remedy}`);
}
