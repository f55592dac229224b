/**
 * Makes scrypt cheap: N is 2. A hash takes microseconds instead of a quarter of a second of a core. Hashes say the cost
 * that the library chose, so that they are parsed and judged as in production. `real-scrypt.ts` sets the real cost, and
 * lets hashes wait.
 */
const STATE = Symbol.for('nest-oauth2.test.scrypt');

// The module belongs to Node.js, so that all test files of a worker share it. An import would fix its named exports, so
// that the first test file of a worker would get the expensive function.
const crypto = process.getBuiltinModule('node:crypto');
const { scrypt } = crypto;
const state = (scrypt[STATE] ??= { isReal: false });
if (!scrypt[STATE].isReplaced) {
  state.isReplaced = true;
  crypto.scrypt = Object.assign(
    (secret, salt, length, options, callback) => {
      const start = () => scrypt(secret, salt, length, state.isReal ? options : { ...options, N: 2 }, callback);
      if (state.held) state.held.push(start);
      else start();
    },
    { [STATE]: state },
  );
}
state.isReal = false;
state.held = undefined;
