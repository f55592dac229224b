import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryCounts } from '../../../lib/limits/memory-counts.js';

describe('counts in the memory of a process', () => {
  afterEach(() => void jest.useRealTimers());

  const add = (counts: MemoryCounts, ...keys: string[]) => keys.map((key) => counts.add(key));

  it('keeps a count at its limit, however many other keys are counted', () => {
    const counts = new MemoryCounts({ requests: 2, per: 300 }, 100);
    add(counts, 'alice', 'alice');
    for (let index = 0; index < 1000; index += 1) expect(counts.add(`name ${index}`)).toBe(0);
    expect(counts.add('alice')).toBe(300);
  });

  it('refuses new keys while all of its counts are at their limit', () => {
    jest.useFakeTimers({ now: 0 });
    const counts = new MemoryCounts({ requests: 1, per: 300 }, 3);
    expect(add(counts, 'a', 'b', 'c')).toEqual([0, 0, 0]);
    jest.setSystemTime(100_000);
    expect(add(counts, 'd', 'a')).toEqual([200, 200]);
    jest.setSystemTime(300_000);
    expect(add(counts, 'd', 'a')).toEqual([0, 0]);
  });

  it('removes windows that have ended', () => {
    jest.useFakeTimers({ now: 0 });
    const counts = new MemoryCounts({ requests: 1, per: 10 }, 2);
    add(counts, 'a', 'b');
    jest.setSystemTime(10_000);
    expect(add(counts, 'c', 'd', 'c')).toEqual([0, 0, 10]);
  });

  it('takes back only what was counted', () => {
    const counts = new MemoryCounts({ requests: 1, per: 300 });
    counts.subtract('a');
    add(counts, 'a');
    counts.subtract('a');
    counts.subtract('a');
    expect(add(counts, 'a', 'a')).toEqual([0, 300]);
  });
});
