import { Logger } from '@nestjs/common';

/** Milliseconds until due deletions are looked for the first time. */
const FIRST_SWEEP = 2000;
/** Milliseconds between two searches for due deletions. */
const SWEEP = 900_000;

/** Finishes due deletions periodically while the accounts are in use. The timers do not keep the process alive. */
export function startSweeping(reference: WeakRef<{ finishDue(): Promise<unknown> }>): void {
  const sweep = () => {
    const deletions = reference.deref();
    if (!deletions) return clearInterval(timer);
    deletions.finishDue().catch((error: unknown) => {
      new Logger('OAuth2 accounts').warn(`Due deletions could not be read, and are read again later: ${String(error)}`);
    });
  };
  const timer = setInterval(sweep, SWEEP);
  timer.unref();
  setTimeout(sweep, FIRST_SWEEP).unref();
}
