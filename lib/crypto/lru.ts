/** Sets the most recently used entry of a map, and removes the least recently used one if the map has more than `size` entries. */
export function keepRecent<K, V>(map: Map<K, V>, key: K, value: V, size: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > size) map.delete(map.keys().next().value!);
}
