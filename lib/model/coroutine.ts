type Thunk = (done: (error: unknown, value?: unknown) => void) => void;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (isObject(value) || typeof value === 'function') && typeof (value as PromiseLike<unknown>).then === 'function';
}

function isIterator(value: unknown): value is Generator {
  return (
    isObject(value) &&
    typeof (value as Generator).next === 'function' &&
    typeof (value as Generator).throw === 'function'
  );
}

/** Runs a generator whose `yield` means `await`, as in models of version 3.x. */
export async function runCoroutine(generator: Generator): Promise<unknown> {
  let step = generator.next();
  while (!step.done) {
    let value: unknown;
    try {
      value = await awaitYielded(step.value);
    } catch (error) {
      step = generator.throw(error);
      continue;
    }
    step = generator.next(value);
  }
  return step.value;
}

/**
 * Awaits a value that a generator yields: a promise, a generator, a thunk, or a list or record of them. Any other value
 * is returned unchanged.
 */
function awaitYielded(value: unknown): unknown {
  if (isThenable(value)) return value;
  if (isIterator(value)) return runCoroutine(value);
  if (typeof value === 'function') return thunk(value as Thunk);
  if (Array.isArray(value)) return Promise.all(value.map(awaitYielded));
  if (isObject(value) && Object.getPrototypeOf(value) === Object.prototype) return awaitRecord(value);
  return value;
}

const thunk = (call: Thunk) =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));

async function awaitRecord(record: object): Promise<object> {
  const entries = Object.entries(record).map(async ([key, value]) => [key, await awaitYielded(value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
