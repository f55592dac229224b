import { scrypt } from 'node:crypto';

interface State {
  isReal: boolean;
  /** The hashes that wait, in order. `undefined` if hashes start immediately. */
  held: (() => void)[] | undefined;
}

const state = () => Reflect.get(scrypt, Symbol.for('nest-oauth2.test.scrypt')) as State;

/** Gives scrypt its real cost in this test file, or until it is called with false. Otherwise `cheap-scrypt.js` makes it cheap. */
export function useRealScrypt(isReal: unknown = true): void {
  state().isReal = isReal !== false;
}

/** Lets hashes wait, so that the test decides when each one starts. */
export class HeldScrypt {
  /** The hashes that wait, in order. */
  readonly waiting: (() => void)[] = (state().held = []);

  /** Starts the hash at this position. */
  start(position: number): void {
    this.waiting.splice(position, 1)[0]!();
  }

  /** Starts all hashes that wait. Further hashes start immediately. */
  stop(): void {
    state().held = undefined;
    for (const start of this.waiting.splice(0)) start();
  }
}
