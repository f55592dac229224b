/**
 * Sets an entry of a map as the most recently used one, and removes the least recently used entry if the map exceeds
 * `size` entries.
 */
export function keepRecent<K, V>(map: Map<K, V>, key: K, value: V, size: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > size) map.delete(map.keys().next().value!);
}
