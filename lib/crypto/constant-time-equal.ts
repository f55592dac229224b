import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal. The comparison time reveals only whether their lengths are equal. */
export function constantTimeEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
