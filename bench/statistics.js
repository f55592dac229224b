export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export function summary(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Returns the median of the ratios of all rounds. A disturbance that slows a whole round does not change it. */
export function medianRatio(numerators, denominators) {
  return median(numerators.map((value, round) => value / denominators[round]));
}

/** Returns the order of a round. It rotates, so that no candidate is always first or always follows the same one. */
export function rotated(list, round) {
  const start = round % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
