import { scrypt } from 'node:crypto';

/** Gives scrypt its real cost in this test file, or until it is called with false. Otherwise `cheap-scrypt.js` makes it cheap. */
export function useRealScrypt(isReal: unknown = true): void {
  const state = Reflect.get(scrypt, Symbol.for('nest-oauth2.test.scrypt')) as { isReal: boolean };
  state.isReal = isReal !== false;
}
