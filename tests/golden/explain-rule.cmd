./simulate explain misplaced-fence
