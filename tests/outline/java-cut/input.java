     * @param key which one
     */
    public int size() {
        return map.size();
    }

    private void clear() {
        for (Entry<K, V> e : map.entrySet()) {
            e.close();
        }
    }

    void cut(String a) {
        while (true) {
            call(a,
