import { timingSafeEqual } from 'node:crypto';

/** Are they the same? How long it takes tells only whether they are of one length. */
export function constantTimeEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
