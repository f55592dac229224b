import { sign, type SignKeyObjectInput } from 'node:crypto';
import { promisify } from 'node:util';

const signInThread = promisify(sign);

/** Milliseconds for which signatures may wait for a thread. A signature takes about one millisecond. */
const PATIENCE = 10;

/** The number of signatures that the threads have computed. */
let computed = 0;
/** Whether the threads computed no signature for a while, although they had to: other work, such as hashes, holds them. */
let areThreadsHeld = false;

/**
 * Computes a signature in another thread, or in the main thread while other work holds the threads. The four threads of
 * libuv also compute hashes of passwords, so that without this, a token would wait for all hashes before it.
 */
export function signWithoutWaiting(
  hash: string | null,
  data: Buffer,
  key: SignKeyObjectInput,
): Buffer | Promise<Buffer> {
  if (areThreadsHeld) return sign(hash, data, key);
  const before = computed;
  return new Promise((resolve, reject) => {
    const signHere = () => {
      // The threads are only slow if they have computed other signatures meanwhile.
      if (computed !== before) return;
      areThreadsHeld = true;
      try {
        resolve(sign(hash, data, key));
      } catch (error) {
        reject(error);
      }
    };
    // After a busy event loop, the signature may have been computed, but not been received yet.
    const timer = setTimeout(() => setImmediate(signHere), PATIENCE);
    const end = () => {
      computed += 1;
      areThreadsHeld = false;
      clearTimeout(timer);
    };
    signInThread(hash, data, key).finally(end).then(resolve, reject);
  });
}
