export type AnyFunction = (...args: unknown[]) => unknown;
type Style = (method: AnyFunction, arity: number) => AnyFunction;

/** The values that a generator method receives after it yields a list with nested promises. */
type Yielded = [unknown, { first: unknown[] }];

/** The number of arguments that the library passes to each model method. */
export const ARITY: Record<string, number> = {
  generateAccessToken: 3,
  generateAuthorizationCode: 3,
  generateRefreshToken: 3,
  getAccessToken: 1,
  getAuthorizationCode: 1,
  getClient: 2,
  getRefreshToken: 1,
  getUser: 2,
  getUserFromClient: 1,
  revokeAuthorizationCode: 1,
  revokeToken: 1,
  saveAuthorizationCode: 3,
  saveToken: 3,
  validateScope: 3,
  verifyScope: 2,
};

/** Sets the number of parameters that a function declares (its `length`). */
export const withParameterCount = (length: number, method: AnyFunction) =>
  Object.defineProperty(method, 'length', { value: length });
export const soon = async () => new Promise((resolve) => setImmediate(resolve));

/** A thenable that is not a native promise, such as a Bluebird promise. */
class ForeignPromise {
  constructor(private readonly settle: () => unknown) {}

  // oxlint-disable-next-line no-thenable
  then(resolve: AnyFunction): void {
    setImmediate(() => resolve(this.settle()));
  }
}

/** The ways in which a model method can return its result. Each entry converts a synchronous method. */
export const STYLES: Record<string, Style> = {
  values: (method) => method,
  promises:
    (method) =>
    (...args) =>
      Promise.resolve(method(...args)),
  'async functions':
    (method) =>
    async (...args) => (await soon(), method(...args)),
  'promises of another library':
    (method) =>
    (...args) =>
      new ForeignPromise(() => method(...args)),
  'generator functions': (method) =>
    function* (...args) {
      yield soon();
      const [last, { first }] = (yield [args.at(-1), { first: Promise.resolve(args.slice(0, -1)) }]) as Yielded;
      return method(...first, last);
    },
  'Node callbacks': (method, arity) =>
    withParameterCount(arity + 1, (...args) => {
      const done = args[arity] as AnyFunction;
      setImmediate(() => done(null, method(...args.slice(0, arity))));
    }),
  'Node callbacks that are called synchronously': (method, arity) =>
    withParameterCount(arity + 1, (...args) => (args[arity] as AnyFunction)(null, method(...args.slice(0, arity)))),
};
