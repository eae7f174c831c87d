import 'package:flutter/material.dart';

/// A page.
class Page extends StatelessWidget {
  final String title;
  const Page({super.key, required this.title});

  @override
  Widget build(BuildContext context) {
    return Text('$title }');
  }

  int get size => 1;
}

void main() async {
  runApp(Page(title: 'x'));
}
