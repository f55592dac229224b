import { runInNewContext } from 'node:vm';

/**
 * Collects garbage at once. It also closes what only a finalizer closes, such as files of native modules. Without the
 * flag `--expose-gc`, which the script `jest` sets, it does nothing.
 */
export const collectGarbage = runInNewContext('globalThis.gc ?? (() => undefined)') as () => void;
