import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a module of this folder as a process. Resolves when the process has sent its first message. */
export const startChild = (module, ...args) => startChildWith([], module, ...args);

/** Starts a module of this folder as a process with options of Node. */
export async function startChildWith(options, module, ...args) {
  const path = fileURLToPath(new URL(module, import.meta.url));
  const child = fork(path, args, { execArgv: ['--expose-gc', ...options] });
  const greeting = await answerOf(child);
  return {
    greeting,
    stop: () => child.disconnect(),
    /** Sends a message to the process and resolves to its reply. */
    ask(message) {
      child.send(message);
      return answerOf(child);
    },
  };
}

async function answerOf(child) {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error(`${child.spawnargs.slice(2).join(' ')} ended early. Its output is above.`);
  });
  // Ignore the rejection when the process is stopped below.
  ended.catch(() => {});
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    stop.abort();
  }
}
