import type { Application } from '../application.js';
import type { Sources } from './sources.js';

/** How the application hashes passwords, as the TypeScript that the written files contain. */
export interface PasswordHash {
  /** The package, or `undefined` if none is found. Then the hashes have the format of this package. */
  name: string | undefined;
  /** The function that hashes. */
  hash: string;
  /** The function that compares, and its call with `password` and `hash`. */
  compare: string;
  call: string;
  /** The second argument of the function that hashes, with a comma. */
  cost: string;
}

const bcrypt = (name: string) => ({ name, hash: 'hash', compare: 'compare', call: 'compare(password, hash)' });
const argon2 = (name: string) => ({ name, hash: 'hash', compare: 'verify', call: 'verify(hash, password)', cost: '' });

const BCRYPT = ['bcrypt', 'bcryptjs', '@node-rs/bcrypt'];
const ARGON2 = ['argon2', '@node-rs/argon2'];
const DEFAULT_COST = 10;

/** Finds the package that hashes passwords in an application. */
export function findHash({ has }: Application, sources: Sources): PasswordHash {
  const name = [...BCRYPT, ...ARGON2].find(has);
  if (name === undefined) {
    const call = 'verifyPassword(password, hash)';
    return { name, hash: 'hashPassword', compare: 'verifyPassword', call, cost: '' };
  }
  return ARGON2.includes(name) ? argon2(name) : { ...bcrypt(name), cost: `, ${costOf(sources)}` };
}

/** Returns the cost that the application passes to bcrypt. */
function costOf(sources: Sources): number {
  const text = [...sources.values()].join('\n');
  const passed = /\b(?:hash|genSalt)(?:Sync)?\((?:[^()]*,\s*)?(\d{1,2})\)/.exec(text)?.[1];
  const named = /\b\w*(?:ROUNDS|SALT|COST)\w*\s*[=:]\s*(\d{1,2})\b/i.exec(text)?.[1];
  return Number(passed ?? named ?? DEFAULT_COST);
}
