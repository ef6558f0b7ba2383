// The titles of items that were met, and those of others looked up by their ids.
import {get, modelPath, queryString} from '../shell/api.js';

// A list as the service splits it: in quotes where an id has commas or quotes of its own.
const listed = (ids) => ids.map((id) => (/[",]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id)).join(',');

export function createTitles(model) {
  const known = new Map();
  return {
    learn(entries) {
      for (const {item, title} of entries ?? []) if (title) known.set(item, title);
    },
    of(item) {
      return known.get(item) || item;
    },
    // Resolves to whether any was new.
    async find(items, signal) {
      const missing = items.filter((item) => !known.has(item));
      if (missing.length === 0) return false;
      const {items: found} = await get(`${modelPath(model)}/items${queryString({id: listed(missing), limit: missing.length})}`, signal);
      for (const item of missing) known.set(item, '');
      this.learn(found);
      return true;
    },
  };
}
