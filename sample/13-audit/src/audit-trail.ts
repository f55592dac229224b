import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { type OAuth2Event, type OAuth2EventName, OnOAuth2Event } from 'nest-oauth2';
import { DataSource } from 'typeorm';
import { AuditEntry } from './audit-entry.js';

/** Maximum number of queued entries while the database is unavailable. If exceeded, the oldest entries are dropped. */
const MAX_WAITING = 10_000;
/** Number of entries per insert. SQLite allows about 30,000 values in one statement. */
const BATCH_SIZE = 500;
/** Delay before the next attempt after a failed insert, in milliseconds. */
const RETRY_DELAY = 250;

type Entry = Omit<AuditEntry, 'id'>;

/** Writes every OAuth event to the audit table, in order and in the background, so clients do not wait for it. */
@Injectable()
export class AuditTrail implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private waiting: Entry[] = [];
  private isWriting = false;
  private written: Promise<void> = Promise.resolve();

  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  @OnOAuth2Event('*')
  record({ at, clientId, userId, grantId, ...detail }: OAuth2Event, event: OAuth2EventName): void {
    this.waiting.push({
      at: at.toISOString(),
      event,
      clientId: clientId ?? null,
      userId: userId === undefined ? null : String(userId),
      grantId: grantId ?? null,
      detail: JSON.stringify(detail),
    });
    if (!this.isWriting) this.written = this.write();
  }

  /** Waits until the queued entries are written. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.written;
    if (this.waiting.length > 0)
      this.logger.error(`Lost ${this.waiting.length} audit entries: the database is unavailable.`);
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    // Let the pending HTTP responses go first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting.slice(0, BATCH_SIZE);
        await this.database.manager.insert(AuditEntry, batch);
        this.waiting.splice(0, batch.length);
      }
      this.isWriting = false;
    } catch (error) {
      this.logger.error(`Failed to write audit entries: ${String(error)}`);
      this.dropOldest();
      setTimeout(() => void (this.written = this.write()), RETRY_DELAY).unref();
    }
  }

  private dropOldest(): void {
    const excess = this.waiting.length - MAX_WAITING;
    if (excess <= 0) return;
    this.waiting.splice(0, excess);
    this.logger.error(`Dropped the oldest ${excess} audit entries: the queue is full.`);
  }
}
