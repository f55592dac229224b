import type { Model, ModelMethod } from '../../lib/index.js';
import { verify } from './check-options.js';

const CODE_METHODS = ['saveAuthorizationCode', 'getAuthorizationCode', 'revokeAuthorizationCode'] as const;

/** What is asked of a method's absence: which one, for what, and how to do without. */
interface Need {
  method: ModelMethod;
  purpose: string;
  otherwise?: string;
}

/** Checks that the model is one, and that none of its features is half there. */
export function checkModel(model: unknown, issuing: boolean): asserts model is Model {
  verify(
    model !== undefined && model !== null,
    'OAuth2Module needs the option `model`: a class, an instance or a provider',
  );
  verify(
    typeof model !== 'function',
    'the `model` is a class where an instance is due: give the class beside the factory',
  );
  verify(typeof model === 'object', 'the option `model` must be a class, an instance or a provider');
  const has = (method: ModelMethod) => typeof (model as Model)[method] === 'function';
  const demand = ({ method, purpose, otherwise }: Need) => {
    const remedy = otherwise ? `implement it, or ${otherwise}` : 'implement it';
    verify(has(method), `the model has no method \`${method}()\`, ${purpose}: ${remedy}`);
  };

  if (issuing) {
    const otherwise = 'set `controllers: false` where tokens are only checked';
    demand({ method: 'getClient', purpose: 'which finds the clients', otherwise });
    demand({ method: 'saveToken', purpose: 'which keeps what is issued', otherwise });
  }
  for (const method of CODE_METHODS) {
    const other = CODE_METHODS.find(has);
    if (other)
      demand({ method, purpose: `which belongs to \`${other}()\``, otherwise: `leave \`${other}()\` out too` });
  }
  if (has('getRefreshToken')) {
    const otherwise = 'leave `getRefreshToken()` out too';
    demand({ method: 'revokeToken', purpose: 'which spends a refresh token', otherwise });
  }
}
