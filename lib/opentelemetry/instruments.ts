import { type Attributes, type Counter, type Histogram, metrics } from '@opentelemetry/api';

/** Histogram boundaries in seconds, from an in-memory lookup to a hanging database. */
const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The OpenTelemetry metrics: a histogram of operation durations and a counter of events. */
export class Instruments {
  private made: { duration: Histogram; events: Counter } | undefined;

  constructor(private readonly always: Attributes) {}

  duration(seconds: number, attributes: Attributes): void {
    this.make().duration.record(seconds, { ...this.always, ...attributes });
  }

  count(event: string): void {
    this.make().events.add(1, { ...this.always, 'oauth2.event': event });
  }

  /**
   * Creates the instruments on first use. If a meter is requested before a provider is registered, it never records
   * anything.
   */
  private make() {
    if (this.made) return this.made;
    const meter = metrics.getMeter('nest-oauth2');
    const duration = meter.createHistogram('oauth2.operation.duration', {
      description: 'Duration of operations',
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    });
    const events = meter.createCounter('oauth2.events', { description: 'Number of events', unit: '{event}' });
    return (this.made = { duration, events });
  }
}
