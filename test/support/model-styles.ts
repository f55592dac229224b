export type AnyFunction = (...args: unknown[]) => unknown;
type Style = (method: AnyFunction, arity: number) => AnyFunction;

/** A list that holds a record of promises: what a generator may yield. */
type Yielded = [unknown, { first: unknown[] }];

/** How many arguments each method of the model is given. */
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

/** The method, declaring so many parameters. */
export const declaring = (length: number, method: AnyFunction) =>
  Object.defineProperty(method, 'length', { value: length });
export const soon = async () => new Promise((resolve) => setImmediate(resolve));

/** A thenable that is no promise, as those of Bluebird and others. */
class ForeignPromise {
  constructor(private readonly settle: () => unknown) {}

  // oxlint-disable-next-line no-thenable
  then(resolve: AnyFunction): void {
    setImmediate(() => resolve(this.settle()));
  }
}

/** The same model, each of its methods written in another style. */
export const STYLES: Record<string, Style> = {
  values: (method) => method,
  promises:
    (method) =>
    (...args) =>
      Promise.resolve(method(...args)),
  'async functions':
    (method) =>
    async (...args) => (await soon(), method(...args)),
  'promises of another make':
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
    declaring(arity + 1, (...args) => {
      const done = args[arity] as AnyFunction;
      setImmediate(() => done(null, method(...args.slice(0, arity))));
    }),
  'Node callbacks that are called at once': (method, arity) =>
    declaring(arity + 1, (...args) => (args[arity] as AnyFunction)(null, method(...args.slice(0, arity)))),
};
