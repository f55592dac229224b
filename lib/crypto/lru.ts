/**
 * Sets an entry of a map as the most recently used one. If the map then exceeds `size` entries, the least recently used
 * entry is removed.
 */
export function keepRecent<K, V>(map: Map<K, V>, key: K, value: V, size: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > size) map.delete(map.keys().next().value!);
}
