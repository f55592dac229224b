export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function summary(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The median of the ratios round by round: what slows a whole round down cancels out. */
export function medianRatio(numerators, denominators) {
  return median(numerators.map((value, round) => value / denominators[round]));
}

/** The turns of a round: nobody is always first after a pause, or always behind the same neighbour. */
export function rotated(list, round) {
  const start = round % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
