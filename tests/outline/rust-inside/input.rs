        let x = match y {
            Some(z) => z,
            None => return,
        };
        self.put(x);
        for item in &self.items {
            item.close();
        }
        self.items.clear();
