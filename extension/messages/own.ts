/**
 * Marks what our code in a page takes from the browser's cache, so that it is not captured as a request of the page. No
 * server gets it: these requests end at the cache.
 */
export const OWN_HEADER = "x-gasoline-own";
