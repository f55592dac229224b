import { hasCounts } from '../../../lib/internal.js';

/** What a run has added to one counter. */
interface Added {
  readonly seconds: number;
  readonly count: number;
}

/**
 * Records what the requests of a run add to the counters of a model, so that the run can take it back at its end. The
 * limits apply during the run. Without this, a further run would meet the limits of the user, such as that of e-mails.
 */
export class LabCounts {
  private readonly added = new Map<string, Added>();
  /** Takes the recorded counts back, and stops recording. */
  giveBack: () => Promise<void> = async () => undefined;

  constructor(model: object) {
    if (!hasCounts(model)) return;
    const own = Object.getOwnPropertyDescriptor(model, 'countWithin');
    const original = model.countWithin.bind(model);
    const recording: typeof original = async (key, seconds, by = 1) => {
      const state = await original(key, seconds, by);
      // If the counter has no more than this call has added, a new window has begun.
      const earlier = state.count > by ? (this.added.get(key)?.count ?? 0) : 0;
      this.added.set(key, { seconds, count: Math.max(0, earlier + by) });
      return state;
    };
    if (!Reflect.defineProperty(model, 'countWithin', { value: recording, configurable: true, writable: true })) return;
    this.giveBack = async () => {
      // Another run may have replaced the method meanwhile.
      if (model.countWithin === recording) {
        if (own) Object.defineProperty(model, 'countWithin', own);
        else Reflect.deleteProperty(model, 'countWithin');
      }
      for (const [key, { seconds, count }] of this.added) if (count > 0) await original(key, seconds, -count);
    };
  }
}
